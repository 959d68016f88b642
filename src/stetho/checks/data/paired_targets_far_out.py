from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import OutputRanges

SITE = {
    "function": "a difference", "where": {"file": "fit.py", "line": 25}, "looked_at": 60, "produced_by": "linear",
    "produced_at": [], "low": -15.0, "high": 8.0, "target_low": -3.4, "target_high": 288.0, "target_mean": 0.1,
    "target_spread": 0.97,
}  # fmt: skip


@check(
    reads=OutputRanges,
    root="input-extremes",
    background=0.02,
    given={"data/nonfinite-values": 0.06},
    fires={"a strength that was written without its point": {"sites": [SITE]}},
    quiet={
        "a long tail": {"sites": [{**SITE, "target_high": 40.0}]},
        "few calls": {"sites": [{**SITE, "looked_at": 3}]},
        "targets that hardly ever are anything": {"sites": [{**SITE, "target_mean": 0.0, "target_spread": 0.0}]},
        "nothing known of their spread": {"sites": [{**SITE, "target_spread": None}]},
    },
)
def paired_targets_far_out(ranges: OutputRanges, *, times: float = 80.0, least: int = 5) -> Iterator[Finding]:
    """In a loss that is written by hand, some targets lie very far beyond what most batches hold.

    ## Why it matters
    A squared error grows with the square of the distance: one target that was read wrongly makes its batch's gradient
    larger than all others together.

    ## False alarms
    Counts, prices and returns have long tails, and may reach some ten times their spread. Targets that are nearly all
    the same have no spread to measure by, and are left.
    """
    for one in ranges.sites:
        if one.looked_at < least or one.target_mean is None or not one.target_spread:
            continue
        low, high, mean, spread = one.target_low, one.target_high, one.target_mean, one.target_spread
        far = max(high - mean, mean - low) / spread
        if far > times:
            yield Finding(
                f"targets reach from {low:.4g} to {high:.4g}, {far:.0f} times the spread {spread:.3g} that batches "
                f"usually have",
                where=(one.where,) if one.where else (),
            )
