from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossInputs

SITE = {"function": "mse_loss", "where": {"file": "train.py", "line": 41}, "looked_at": 10, "normalised": 0}


@check(
    reads=LossInputs,
    root="loss-reduction",
    background=0.04,
    fires={"sum over 64 samples": {"sites": [{**SITE, "reduction": "sum", "batch": 64}]}},
    quiet={
        "mean": {"sites": [{**SITE, "reduction": "mean", "batch": 64}]},
        "a sum over one sample": {"sites": [{**SITE, "reduction": "sum", "batch": 1}]},
    },
)
def summed_over_batch(losses: LossInputs) -> Iterator[Finding]:
    """A loss is summed over the batch instead of averaged.

    ## Why it matters
    The gradient, and so the step, grows with the batch size; a usual learning rate is then far too high.

    ## False alarms
    A sum with a rate chosen for it trains well; likelihoods of whole data sets are sums by definition.
    """
    for site in losses.sites:
        if site.trained and site.reduction == "sum" and (site.batch or 1) > 1:
            yield Finding(
                f"{site.function} at {site.where} sums over {site.batch} samples",
                where=(site.where,) if site.where else (),
            )
