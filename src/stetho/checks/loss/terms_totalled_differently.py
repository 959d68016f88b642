from collections.abc import Iterator
from math import prod

from stetho.check import Finding, check
from stetho.facts import LossInputs, LossTerms

MEAN = {
    "name": "binary_cross_entropy", "where": {"file": "vae.py", "line": 49}, "steps": 8, "first": 0.6, "last": 0.33,
    "share": 0.8,
}  # fmt: skip
SUM = {
    "name": "mul", "where": {"file": "vae.py", "line": 50}, "steps": 8, "first": 4.0, "last": 0.004, "share": 0.2,
    "total": "sum", "over": [64, 8],
}  # fmt: skip
SITES = {
    "sites": [{"function": "binary_cross_entropy", "where": MEAN["where"], "looked_at": 8, "normalised": 0, "batch": 64,
               "reduction": "mean", "target_shape": [64, 256]}],
}  # fmt: skip


@check(
    reads=(LossTerms, LossInputs),
    root="terms of the loss",
    background=0.03,
    given={"loss/wrong-reduction": 0.30},
    fires={"a mean beside a sum over the batch": {"loss-terms": {"parts": [MEAN, SUM]}, "loss-inputs": SITES}},
    quiet={
        "both are sums": {
            "loss-terms": {"parts": [MEAN, SUM]},
            "loss-inputs": {"sites": [{**SITES["sites"][0], "reduction": "sum"}]},
        },
        "a mean beside a mean": {
            "loss-terms": {"parts": [MEAN, {**SUM, "total": "mean"}]}, "loss-inputs": SITES,
        },
        "a sum over weights": {"loss-terms": {"parts": [MEAN, {**SUM, "over": [300, 20]}]}, "loss-inputs": SITES},
        "a sum that was made small": {
            "loss-terms": {"parts": [MEAN, {**SUM, "first": 0.001, "share": 0.002}]}, "loss-inputs": SITES,
        },
    },
)  # fmt: skip
def terms_totalled_differently(terms: LossTerms, losses: LossInputs) -> Iterator[Finding]:
    """What knows the targets is a mean over all numbers, and another term a sum over all samples of the batch.

    ## Why it matters
    The sum weighs as many times more as numbers were averaged in the other: it decides each step, and once it is
    small, the model is where the sum wants it and not where the targets do.

    ## False alarms
    A factor may make up for it; and as long as the targets are learned, this alone is no fault.
    """
    means = {s.where: s for s in losses.sites if s.trained and s.reduction == "mean" and s.target_shape is not None}
    told = [part for part in terms.parts if part.where in means and part.name == means[part.where].function]
    for part in terms.parts:
        batch = means[told[0].where].batch if told else None
        sums = part.total == "sum" and batch is not None and batch > 1 and part.over[:1] == (batch,)
        if sums and max(abs(part.first), abs(part.last)) > 0.1 * abs(told[0].last):
            yield Finding(
                f"{told[0].name} at {told[0].where} is a mean, and {part.name} at {part.where} a sum of "
                f"{prod(part.over)} numbers, for {batch} samples",
                where=tuple(p for p in (part.where, told[0].where) if p is not None),
            )
            return
