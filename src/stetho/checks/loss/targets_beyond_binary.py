from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossInputs

SITE = {
    "function": "binary_cross_entropy_with_logits", "where": {"file": "train.py", "line": 41}, "looked_at": 12,
    "normalised": 0,
}  # fmt: skip


@check(
    reads=LossInputs,
    root="loss-targets",
    background=0.01,
    given={"data/label-encoding": 0.25, "other/unlisted": 0.01},
    fires={"three classes": {"sites": [{**SITE, "target_low": 0.0, "target_high": 2.0}]}},
    quiet={
        "yes and no": {"sites": [{**SITE, "target_low": 0.0, "target_high": 1.0}]},
        "smoothed": {"sites": [{**SITE, "target_low": 0.05, "target_high": 0.95}]},
        "another loss": {"sites": [{**SITE, "function": "mse_loss", "target_low": 0.0, "target_high": 2.0}]},
        "only while evaluating": {"sites": [{**SITE, "target_low": 0.0, "target_high": 2.0, "trained": False}]},
    },
)
def targets_beyond_binary(losses: LossInputs, *, room: float = 0.01) -> Iterator[Finding]:
    """A loss for yes and no gets targets outside 0 and 1.

    ## Why it matters
    With a target of 2 the loss has no floor: it falls for ever as the score grows.

    ## False alarms
    Smoothed targets lie within 0 and 1.
    """
    for site in losses.sites:
        low, high = site.target_low, site.target_high
        if not site.function.startswith("binary_cross_entropy") or not site.trained or low is None or high is None:
            continue
        if low < -room or high > 1 + room:
            yield Finding(
                f"{site.function} at {site.where} is given targets from {low:g} to {high:g}",
                where=(site.where,) if site.where else (),
            )
