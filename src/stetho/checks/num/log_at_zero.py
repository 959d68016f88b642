from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import NonfiniteOrigin

LOGARITHMS = ("log", "log_", "log2", "log10", "log1p", "xlogy", "logit", "special_xlogy", "entr")


AT_ZERO = {"step": 12, "operation": "log", "input_zeros": 3, "input_size": 640, "input_min": 0.0}


@check(
    reads=NonfiniteOrigin,
    root="nonfinite-origin",
    background=0.02,
    supplied_by="close-look",
    fires={
        "forward": {**AT_ZERO, "phase": "forward"},
        "only in backward": {**AT_ZERO, "phase": "backward"},
        "as numpy says it": {
            "step": 12, "operation": "log", "phase": "forward", "told": "divide by zero encountered in log",
        },
    },
    quiet={
        "another operation": {**AT_ZERO, "phase": "forward", "operation": "linear"},
        "log of a negative number": {**AT_ZERO, "phase": "forward", "input_min": -0.5},
    },
)  # fmt: skip
def log_at_zero(origin: NonfiniteOrigin) -> Iterator[Finding]:
    """The first NaN or Inf comes out of a logarithm whose input holds zeros.

    ## Why it matters
    log 0 is -Inf and its gradient is infinite; one such value turns the loss or the gradients into NaN.

    ## False alarms
    An infinite value that a mask makes on purpose is not on the way to the loss and is not counted.
    """
    if origin.operation not in LOGARITHMS:
        return
    if origin.told:
        yield Finding(origin.told, where=origin.places, step=origin.step)
    elif origin.input_zeros and (origin.input_min if origin.input_min is not None else 0.0) >= 0:
        yield Finding(
            f"{origin.operation} at {origin.where} receives {origin.input_zeros} zeros among {origin.input_size} "
            f"values at step {origin.step} ({origin.phase})",
            where=origin.places,
            step=origin.step,
        )
