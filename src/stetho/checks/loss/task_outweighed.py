from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.curves import shape
from stetho.facts import LossCurve, LossInput, LossInputs, LossTerm, LossTerms

LABELS = {"name": "cross_entropy", "where": {"file": "train.py", "line": 40}, "steps": 900, "first": 1.38, "last": 1.1}
PRICE = {"name": "mse_loss", "where": {"file": "train.py", "line": 41}, "steps": 900, "first": 1120.0, "last": 120.0}
SITE = {"looked_at": 40, "normalised": 0, "target_shape": [64]}


def run(labels: float = 0.009, start: float = 1121.0, right: float = 0.5, **more: float) -> dict[str, object]:
    terms = [{**PRICE, "share": 1 - labels}, {**LABELS, "share": labels, **more}]
    sites = [
        {**SITE, "function": "cross_entropy", "where": LABELS["where"], "classes": 4, "accuracy_last": right},
        {**SITE, "function": "mse_loss", "where": PRICE["where"]},
    ]
    curve = {"values": [start * 0.98**i + start / 10 for i in range(100)]}
    return {"loss-terms": {"calls": terms}, "loss-inputs": {"sites": sites}, "loss-curve": curve}


def on_one_line() -> dict[str, object]:
    """Calls on one line count as one; what was added up tells them apart."""
    terms = [{**PRICE, "share": 0.991}, {**LABELS, "share": 0.009}]
    return {**run(), "loss-terms": {"calls": terms[:1], "parts": terms}}


@check(
    reads=(LossTerms, LossInputs, LossCurve),
    root="terms of the loss",
    background=0.02,
    given={"other/unlisted": 0.03},
    fires={
        "amounts in their own units beside classes": run(),
        "two losses on one line": on_one_line(),
    },
    quiet={
        "of a size": run(0.3),
        "weighed down where they are added": run(start=2.5),
        "the classes are learned": run(right=0.95),
        "their loss comes down": run(last=0.5),
    },
)  # fmt: skip
def task_outweighed(
    terms: LossTerms, losses: LossInputs, curve: LossCurve, *, most: float = 0.03, learned: float = 0.85
) -> Iterator[Finding]:
    """One of several tasks is a hundredth of the loss and is hardly learned, while the one that is nearly all of it is.

    ## Why it matters
    Amounts in their own units cost hundreds where classes cost one: what all tasks share is fitted to them alone.

    ## False alarms
    A small task may be hard by nature, or small on purpose; only with an experiment in which it is learned is this a
    fault. Where the large one is weighed down, the loss is not its size.
    """
    told = compared(terms, losses)
    seen = shape(curve.values)
    if len(told) < 2 or seen is None or curve.objectives > 1:
        return
    large = max((t for t, _ in told), key=lambda t: t.share or 0.0)
    whole = sum(t.first for t, _ in told)
    if large.last > 0.5 * large.first or abs(seen.start - whole) > 0.2 * whole:
        return
    for small, site in told:
        right = site.accuracy_last
        if (small.share or 0.0) > most or right is None or right > learned or small.last < 0.6 * small.first:
            continue
        yield Finding(
            f"{large.name} is {large.share:.1%} of the loss, from {large.first:.3g} to {large.last:.3g}; {small.name} "
            f"goes from {small.first:.3g} to {small.last:.3g}, with {right:.0%} right answers",
            where=tuple(p for p in (large.where, small.where) if p is not None),
        )
        return


def compared(terms: LossTerms, losses: LossInputs) -> list[tuple[LossTerm, LossInput]]:
    """The terms that have targets, each with its call; calls on one line are told apart among the summands alone."""
    sites = [s for s in losses.sites if s.trained and s.target_shape is not None]
    for group in (terms.calls, terms.parts):
        own = {t: [s for s in sites if s.function == t.name] for t in group}
        told = [(t, s) for t, found in own.items() for s in found if s.where == t.where or len(found) == 1]
        if len(told) > 1:
            return told
    return []
