from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import NonfiniteOrigin

DIVISIONS = ("div", "div_", "divide", "true_divide", "reciprocal", "mean", "nanmean", "addcdiv")
BY_ZERO = {"step": 12, "operation": "div", "phase": "forward", "input_size": 640}


@check(
    reads=NonfiniteOrigin,
    root="nonfinite-origin: a division",
    background=0.02,
    supplied_by="close-look",
    fires={
        "zeros among the divisors": {**BY_ZERO, "divisor_zeros": 2},
        "a mean of nothing": {**BY_ZERO, "operation": "mean", "input_size": 0},
        "as numpy says it": {**BY_ZERO, "told": "invalid value encountered in divide"},
    },
    quiet={
        "another operation": {**BY_ZERO, "operation": "log", "input_zeros": 3},
        "no divisor is zero": BY_ZERO,
        "a mean of something": {**BY_ZERO, "operation": "mean"},
    },
)
def divided_by_zero(origin: NonfiniteOrigin) -> Iterator[Finding]:
    """The first NaN or Inf comes out of a division by zero, or of a mean over nothing.

    ## Why it matters
    x / 0 is infinite and 0 / 0 is NaN: the spread of a constant, the sum of an empty mask, the length of nothing.

    ## False alarms
    Numbers that are infinite already give NaN when one divides the other; those have come from elsewhere.
    """
    if origin.operation not in DIVISIONS:
        return
    if origin.told:
        yield Finding(origin.told, where=origin.places, step=origin.step)
    elif origin.divisor_zeros:
        yield Finding(f"{origin.shown} divides by {origin.divisor_zeros} zeros", where=origin.places, step=origin.step)
    elif "mean" in origin.operation and not origin.input_size:
        yield Finding(f"{origin.shown} is of nothing at all", where=origin.places, step=origin.step)
