from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossInputs

SITE = {
    "function": "mse_loss", "where": {"file": "train.py", "line": 41}, "looked_at": 60, "normalised": 0,
    "target_low": -2.1, "target_high": 9999.0, "target_mean": 31.0, "target_spread": 6.0,
}  # fmt: skip


@check(
    reads=LossInputs,
    root="input-extremes",
    background=0.02,
    given={"data/nonfinite-values": 0.06},
    fires={"the number that stands for a missing value": {"sites": [SITE]}},
    quiet={
        "a long tail": {"sites": [{**SITE, "target_high": 300.0}]},
        "few calls": {"sites": [{**SITE, "looked_at": 3}]},
        "targets that hardly ever are anything": {"sites": [{**SITE, "target_mean": 0.0, "target_spread": 0.0}]},
        "only looked at": {"sites": [{**SITE, "trained": False}]},
        "nothing known of them": {"sites": [{**SITE, "target_mean": None, "target_spread": None}]},
    },
)
def targets_far_out(inputs: LossInputs, *, times: float = 80.0, least: int = 5) -> Iterator[Finding]:
    """Some targets lie very far beyond what most batches hold.

    ## Why it matters
    A squared error grows with the square of the distance: one target that was read wrongly, or stands for a missing
    value, makes its batch's gradient larger than all others together.

    ## False alarms
    Counts, prices and returns have long tails, and may reach some ten times their spread. Targets that are nearly all
    the same have no spread to measure by, and are left.
    """
    for one in inputs.sites:
        low, high, mean, spread = one.target_low, one.target_high, one.target_mean, one.target_spread
        if not one.trained or one.looked_at < least or low is None or high is None or mean is None or not spread:
            continue
        far = max(high - mean, mean - low) / spread
        if far > times:
            yield Finding(
                f"targets reach from {low:.4g} to {high:.4g}, {far:.0f} times the spread {spread:.3g} that batches "
                f"usually have",
                where=(one.where,) if one.where else (),
            )
