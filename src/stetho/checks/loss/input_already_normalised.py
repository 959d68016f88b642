from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossInputs

SITE = {
    "function": "cross_entropy",
    "where": {"file": "train.py", "line": 41},
    "looked_at": 40,
    "classes": 10,
}


@check(
    reads=LossInputs,
    root="loss-input",
    background=0.02,
    fires={
        "softmax before cross_entropy": {"sites": [{**SITE, "normalised": 40, "produced_by": "softmax"}]},
        "sigmoid before the logits loss": {
            "sites": [
                {
                    "function": "binary_cross_entropy_with_logits", "where": None, "looked_at": 16,
                    "normalised": 16, "produced_by": "sigmoid",
                }
            ]
        },
    },
    quiet={
        "scores": {"sites": [{**SITE, "normalised": 0}]},
        "only when evaluating": {"sites": [{**SITE, "normalised": 40, "trained": False}]},
        "scores that happen to lie in 0..1": {
            "sites": [
                {
                    "function": "binary_cross_entropy_with_logits", "where": None, "looked_at": 16,
                    "normalised": 16, "produced_by": "linear",
                }
            ]
        },
    },
)  # fmt: skip
def input_already_normalised(losses: LossInputs, *, least: int = 3) -> Iterator[Finding]:
    """A loss that normalises its input receives probabilities.

    ## Why it matters
    The second softmax squeezes every answer towards uniform: the loss cannot fall below a floor (1.46 for
    ten classes) and gradients are small however wrong the model is.

    ## False alarms
    Log-probabilities into cross_entropy are harmless, a log_softmax changes nothing the second time, and
    are not counted. For the binary loss, values in 0..1 count only when a sigmoid or softmax made them.
    """
    for site in losses.sites:
        if not site.trained or site.looked_at < least or site.normalised < site.looked_at:
            continue
        binary = site.function == "binary_cross_entropy_with_logits"
        if binary and site.produced_by not in ("sigmoid", "softmax"):
            continue
        what = "values lie in 0..1" if binary else "rows sum to 1"
        origin = f", made by {site.produced_by} at {site.produced_at[0]}" if site.produced_at else ""
        places = (*site.produced_at[:2], *((site.where,) if site.where else ()))
        yield Finding(
            f"{what} in {site.normalised} of {site.looked_at} inputs of {site.function}, {site.where}{origin}",
            where=tuple(dict.fromkeys(places)),
        )
