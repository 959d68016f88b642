from collections.abc import Iterator, Sequence

from stetho.check import Finding, check
from stetho.facts import ClassNumberings, ClassRecalls, LossInputs, Numbering, Renumbered


def ring(*labels: int, given: int = 140, right: int = 4, moved: int = 128, cycle: int = 0) -> list[dict[str, object]]:
    """Classes each of which has the number of the next one."""
    ways = zip(labels, (*labels[1:], labels[0]), strict=True)
    return [
        {"label": one, "answer": other, "given": given, "right": right, "moved": moved, "cycle": cycle}
        for one, other in ways
    ]


def run(
    moved: list[dict[str, object]], classes: int = 5, recall: float = 0.95, trained: float = 0.95, **more: object
) -> dict[str, object]:
    site = {"function": "cross_entropy", "where": {"file": "train.py", "line": 30}, "looked_at": 30, "normalised": 0}
    line = {"function": "cross_entropy", "where": {"file": "train.py", "line": 60}, "classes": classes, "samples": 700}
    of = [{"label": k, "given": 100, "answered": 100, "hits": round(100 * recall)} for k in range(classes)]
    return {
        "class-numberings": {"lines": [{**line, "right": 0.4, "renumbered": 0.9, "moved": moved, **more}]},
        "loss-inputs": {"sites": [{**site, "classes": classes, "accuracy_last": trained}]},
        "class-recalls": {"function": "cross_entropy", "where": None, "calls": 20, "classes": of},
    }


@check(
    reads=(ClassNumberings, LossInputs),
    also=ClassRecalls,
    root="held-out-answers",
    background=0.004,
    given={"data/labels-misaligned": 0.004, "data/distribution-shift": 0.015, "other/unlisted": 0.02},
    fires={
        "two of five": run(ring(2, 3)),
        "all in another order": run(ring(0, 3, 1, 4, 2, right=1, moved=110)),
        "several at once, overfitted": run(ring(0, 3, 1, 4, 2, right=9, moved=95)),
        "yes and no": run(ring(0, 1), classes=2),
    },
    quiet={
        "nothing moves": run([]),
        "no better than a confusion of the two": run(ring(2, 3, right=20, moved=75)),
        "training confuses these classes, too": run(ring(2, 3), recall=0.5),
        "nothing learned yet": run(ring(2, 3), recall=0.3, trained=0.3),
        "more often wrong than right, on little": run(ring(0, 1, given=9, right=1, moved=8), classes=2),
        "held-out data of which the opposite is true": run(ring(0, 1, right=45, moved=95), classes=2),
        "another task": {
            **run(ring(0, 1, 2), classes=3),
            "loss-inputs": run([], classes=7)["loss-inputs"],
        },
    },
)  # fmt: skip
def classes_exchanged(
    numberings: ClassNumberings, inputs: LossInputs, recalls: ClassRecalls | None
) -> Iterator[Finding]:
    """Held-out answers are wrong for some classes, and right as often as in training if these had other numbers.

    ## Why it matters
    The model knows these classes: training and evaluation only call them by different numbers, as happens where each
    part of the data gets a table of its own.

    ## False alarms
    Classes that look alike are confused with each other in training as well, and not with each other's numbers only.
    Where just two classes are exchanged, data of which the opposite is true would show the same, and more is asked.
    """
    for line in numberings.lines:
        trained = learned(line, inputs, recalls)
        found = [ring for ring in rings(line.moved) if trained is not None and as_good(ring, trained)]
        if found:
            told = [one for ring in found for one in ring]
            given, right, moved = (sum(getattr(one, key) for one in told) for key in ("given", "right", "moved"))
            words = ", ".join(f"class {one.label} is answered {one.answer}" for one in told[:6])
            yield Finding(
                f"in evaluation {words}{' and so on' if len(told) > 6 else ''}: {right / given:.0%} of {given} answers "
                f"are right, {moved / given:.0%} would be under these numbers, in training {trained:.0%} are",
                where=(line.where,) if line.where else (),
            )
            return


def rings(moved: Sequence[Renumbered]) -> list[list[Renumbered]]:
    """Classes that take each other's numbers, together."""
    return [[one for one in moved if one.cycle == cycle] for cycle in sorted({one.cycle for one in moved})]


def as_good(
    found: Sequence[Renumbered], trained: float, *, least: int = 30, share: float = 0.65, of_two: float = 0.85
) -> bool:
    """Whether answers under other numbers are about as good as those of training, far beyond chance."""
    given, right, moved = (sum(getattr(one, key) for one in found) for key in ("given", "right", "moved"))
    if given < least or moved - right < 6 * (moved + right) ** 0.5:
        return False
    # Two that are exchanged need to be so nearly always; by three and more nothing else is that regular.
    return bool(moved > (of_two if len(found) == 2 else share) * trained * given)


def learned(
    line: Numbering, inputs: LossInputs, recalls: ClassRecalls | None, *, least: float = 0.6, of_two: float = 0.8
) -> float | None:
    """The share of right answers in training among the classes that move; None where too little was learned."""
    sites = [s for s in inputs.sites if s.trained and s.accuracy_last is not None]
    plain = line.several or line.classes == 2
    same = [s for s in sites if s.classes == line.classes or (s.classes is None and plain)]
    # Of many classes at once nearly all answers are no; those that are yes tell.
    labels = {1} if line.several else {one.label for one in line.moved}
    of = [one for one in recalls.classes if one.label in labels] if recalls is not None and len(sites) == 1 else []
    whole = sum(one.given for one in of)
    if not same or (line.several and not whole):
        return None
    share = sum(one.hits for one in of) / whole if whole else max(s.accuracy_last or 0.0 for s in same)
    return share if share >= (of_two if len(line.moved) == 2 else least) else None
