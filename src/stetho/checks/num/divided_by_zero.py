from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import NonfiniteOrigin

DIVISIONS = ("div", "div_", "divide", "true_divide", "truediv", "itruediv", "mean", "nanmean", "addcdiv")
# A spread of one value, and one over what goes in.
SPREADS = ("std", "var", "std_mean", "var_mean")
INVERSE = ("pow", "float_power", "reciprocal", "rsqrt", "rtruediv", "rdiv")
BY_ZERO = {"step": 12, "operation": "div", "phase": "forward", "input_size": 640}


@check(
    reads=NonfiniteOrigin,
    root="nonfinite-origin: a division",
    background=0.02,
    supplied_by="close-look",
    fires={
        "zeros among the divisors": {**BY_ZERO, "divisor_zeros": 2},
        "a mean of nothing": {**BY_ZERO, "operation": "mean", "input_size": 0},
        "the spread of one value": {**BY_ZERO, "operation": "std", "input_size": 1, "input_min": 2.0, "input_max": 2.0},
        "a negative power of zero": {**BY_ZERO, "operation": "pow", "input_zeros": 1, "input_min": 0.0},
        "as numpy says it": {**BY_ZERO, "told": "invalid value encountered in divide"},
    },
    quiet={
        "another operation": {**BY_ZERO, "operation": "log", "input_zeros": 3},
        "no divisor is zero": BY_ZERO,
        "a root of zero, in backward": {**BY_ZERO, "operation": "pow", "input_zeros": 1, "phase": "backward"},
        "a power of a negative number": {**BY_ZERO, "operation": "pow", "input_zeros": 1, "input_min": -1.0},
        "a spread in backward": {**BY_ZERO, "operation": "std", "input_zeros": 4, "phase": "backward"},
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
    lowest = origin.input_min if origin.input_min is not None else 0.0
    if origin.phase == "forward" and origin.operation in INVERSE and origin.input_zeros and lowest >= 0:
        yield Finding(f"{origin.shown} receives {origin.input_zeros} zeros", where=origin.places, step=origin.step)
    elif origin.phase == "forward" and origin.operation in SPREADS and not origin.told:
        yield Finding(f"{origin.shown} is of one value alone", where=origin.places, step=origin.step)
    if origin.operation not in DIVISIONS:
        return
    if origin.told:
        yield Finding(origin.told, where=origin.places, step=origin.step)
    elif origin.divisor_zeros:
        yield Finding(f"{origin.shown} divides by {origin.divisor_zeros} zeros", where=origin.places, step=origin.step)
    elif "mean" in origin.operation and not origin.input_size:
        yield Finding(f"{origin.shown} is of nothing at all", where=origin.places, step=origin.step)
