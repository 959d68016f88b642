import math
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.arch.targets_out_of_reach import LIMITS, out_of_reach, site
from stetho.facts import OutputRanges


@check(
    reads=OutputRanges,
    root="output-limit",
    background=0.02,
    given={"other/unlisted": 0.02, "arch/output-range": 0.90},
    fires={
        "as high as a sigmoid goes": site("sigmoid", 0.2, 0.999, (12.0, 480.0)),
        "nothing below zero": site("relu", 0.0, 2.1, (-2.3, 2.9)),
        "both ends of a tanh": site("tanh", -0.99, 0.98, (-2.0, 2.0)),
    },
    quiet={
        "targets within": site("sigmoid", 0.001, 0.999, (0.0, 1.0)),
        "no activation": site("linear", -1.0, 1.0, (-3.0, 3.0)),
        "in the middle": site("tanh", -0.3, 0.4, (-2.0, 2.0)),
    },
)
def output_at_its_limit(ranges: OutputRanges, *, margin: float = 0.05, least: int = 3) -> Iterator[Finding]:
    """Predictions have run up against the limit of their activation, on the side where targets lie beyond it.

    ## Why it matters
    The model has gone as far as it can, and the gradient at the limit is next to nothing.

    ## False alarms
    A sigmoid that answers 0 and 1 to targets of 0 and 1 is right to do so: targets must lie beyond the limit.
    """
    for one in ranges.sites:
        if one.looked_at < least or out_of_reach(one) <= 0:
            continue
        low, high = LIMITS[one.produced_by.rstrip("_")]
        width = high - low if math.isfinite(high - low) else max(1.0, one.high - one.low)
        above = one.target_high > high and one.high > high - margin * width
        below = one.target_low < low and one.low < low + margin * width
        if above or below:
            yield Finding(
                f"predictions reach {one.high if above else one.low:.3g}, the limit of {one.produced_by}, and targets "
                f"go on to {one.target_high if above else one.target_low:.3g}",
                where=tuple(dict.fromkeys((*one.produced_at[:1], *((one.where,) if one.where else ())))),
            )
