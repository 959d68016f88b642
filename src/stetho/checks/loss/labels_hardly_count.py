from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossInputs, LossTerms

LABELS = {"name": "cross_entropy", "where": {"file": "train.py", "line": 40}, "steps": 8, "first": 1.1, "last": 1.1}
PENALTY = {"name": "mul", "where": {"file": "train.py", "line": 41}, "steps": 8, "first": 900.0, "last": 300.0}
SITE = {"function": "cross_entropy", "where": LABELS["where"], "looked_at": 8, "normalised": 0, "target_shape": [64]}
SITES = {"sites": [SITE]}


@check(
    reads=(LossTerms, LossInputs),
    root="terms of the loss",
    background=0.03,
    given={"other/unlisted": 0.04},
    fires={
        "a penalty of hundreds": {
            "loss-terms": {"parts": [{**PENALTY, "share": 0.995}, {**LABELS, "share": 0.005}]}, "loss-inputs": SITES,
        },
    },
    quiet={
        "a small penalty": {
            "loss-terms": {"parts": [{**LABELS, "share": 0.99}, {**PENALTY, "share": 0.01}]}, "loss-inputs": SITES,
        },
        "about as large": {
            "loss-terms": {"parts": [{**PENALTY, "share": 0.6}, {**LABELS, "share": 0.4}]}, "loss-inputs": SITES,
        },
        "two losses with targets": {
            "loss-terms": {
                "parts": [{**LABELS, "name": "mse_loss", "share": 0.995}, {**LABELS, "share": 0.005}],
            },
            "loss-inputs": {"sites": [SITE, {**SITE, "function": "mse_loss"}]},
        },
        "a loss that has been learned": {
            "loss-terms": {"parts": [{**PENALTY, "share": 0.995}, {**LABELS, "last": 0.01, "share": 0.005}]},
            "loss-inputs": SITES,
        },
    },
)  # fmt: skip
def labels_hardly_count(terms: LossTerms, losses: LossInputs, *, most: float = 0.03) -> Iterator[Finding]:
    """The terms that know the targets are a few hundredths of the loss, and do not come down.

    ## Why it matters
    What is added to them decides each step: the model is trained to please a penalty, and the task has no part in it.

    ## False alarms
    A large value need not have a large gradient, and a term that was learned is small by right: only one that stays
    where it began counts, and this alone is no fault.
    """
    known = {s.function for s in losses.sites if s.trained and s.target_shape is not None}
    told = [part for part in terms.parts if part.name in known]
    others = [part for part in terms.parts if part.name not in known and (part.share or 0.0) > 0.5]
    stays = all(part.last > 0.8 * part.first for part in told)
    if told and others and stays and sum(part.share or 0.0 for part in told) < most:
        yield Finding(
            f"{others[0].name} at {others[0].where} is {others[0].share:.1%} of the loss; "
            f"{told[0].name}, which knows the targets, stays at {told[0].last:.3g}",
            where=tuple(p for p in (others[0].where, told[0].where) if p is not None),
        )
