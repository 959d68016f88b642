from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import NonfiniteOrigin

EXPONENTIALS = ("exp", "exp_", "expm1", "exp2", "sinh", "cosh", "softplus", "logaddexp")
# exp of more is infinite in float32.
SINGLE = 88.0
LARGE = {"step": 12, "operation": "exp", "phase": "forward", "input_size": 640, "input_min": -3.0}


@check(
    reads=NonfiniteOrigin,
    root="nonfinite-origin: an exponential",
    background=0.02,
    supplied_by="close-look",
    fires={
        "exp of a large number": {**LARGE, "input_max": 91.0},
        "as numpy says it": {**LARGE, "told": "overflow encountered in exp"},
    },
    quiet={
        "another operation": {**LARGE, "operation": "linear", "input_max": 1e30},
        "nothing large goes in": {**LARGE, "input_max": 4.0},
        "what goes in is infinite already": {**LARGE, "input_max": "inf"},
    },
)
def exponential_overflows(origin: NonfiniteOrigin) -> Iterator[Finding]:
    """The first NaN or Inf comes out of an exponential whose input is too large.

    ## Why it matters
    exp of 89 is beyond float32: scores that were never large before pass that limit in one good step.

    ## False alarms
    A rate that is too high drives the input up, too; then a smaller rate cures it.
    """
    if origin.operation not in EXPONENTIALS:
        return
    highest = origin.input_max
    if origin.told:
        yield Finding(origin.told, where=origin.places, step=origin.step)
    elif highest is not None and SINGLE <= highest < float("inf"):
        yield Finding(f"{origin.shown} receives {highest:.4g}", where=origin.places, step=origin.step)
