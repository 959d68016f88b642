from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossInputs

SITE = {
    "function": "nll_loss", "where": {"file": "train.py", "line": 41}, "looked_at": 12, "normalised": 0,
    "low": -9.0, "high": -0.1, "shape": [64, 10],
}  # fmt: skip


@check(
    reads=LossInputs,
    root="log-probabilities",
    background=0.005,
    given={"other/unlisted": 0.01},
    fires={"softmax over axis 0": {"sites": [{**SITE, "not_logs": 12, "over_batch": 12}]}},
    quiet={
        "softmax over the classes": {"sites": [{**SITE, "not_logs": 0, "over_batch": 0}]},
        "scores": {"sites": [{**SITE, "not_logs": 12, "over_batch": 0}]},
        "only while evaluating": {"sites": [{**SITE, "not_logs": 12, "over_batch": 12, "trained": False}]},
    },
)
def normalised_over_batch(losses: LossInputs, *, least: int = 3) -> Iterator[Finding]:
    """Probabilities sum to one over the samples of the batch instead of over the classes.

    ## Why it matters
    The samples of a batch compete for each class, and an answer depends on what else is in the batch.

    ## False alarms
    None known: the loss picks one class of each row, which must be a distribution.
    """
    for site in losses.sites:
        if site.trained and site.looked_at >= least and site.over_batch and site.over_batch >= 0.9 * site.looked_at:
            yield Finding(
                f"what enters {site.function} at {site.where} sums to one over {site.batch} samples, not over classes",
                where=(*site.produced_at[:1], *((site.where,) if site.where else ())),
            )
