from collections.abc import Iterator, Sequence

from stetho.check import Finding, check
from stetho.facts import ClassRecalls, Printed, PrintedNumber

CLASSES = [
    {"label": 0, "given": 1940, "answered": 2000, "hits": 1940},
    {"label": 1, "given": 60, "answered": 0, "hits": 0},
]
FOUND = [
    {"label": 0, "given": 1940, "answered": 1950, "hits": 1938},
    {"label": 1, "given": 60, "answered": 50, "hits": 48},
]


def run(classes: Sequence[dict[str, int]], **scores: Sequence[float]) -> dict[str, object]:
    numbers = [{"name": n, "kind": "score", "split": "validation", "values": list(v)} for n, v in scores.items()]
    where = {"file": "train.py", "line": 30}
    return {
        "class-recalls": {"function": "cross_entropy", "where": where, "calls": 10, "classes": list(classes)},
        "printed": {"numbers": numbers},
    }


@check(
    reads=(ClassRecalls, Printed),
    root="class-answers",
    background=0.02,
    given={"data/labels-misaligned": 0.05},
    fires={
        "accuracy is the share of the frequent class": run(CLASSES, val_acc=[0.968] * 6),
        "balanced accuracy is one half": run(CLASSES, val_acc=[0.968] * 4, balanced=[0.5] * 4),
        "in percent, and printed at the end": run(CLASSES, accuracy=[96.8], f1=[0.0]),
    },
    quiet={
        "the rare class is found": run(FOUND, val_acc=[0.99] * 6),
        "it ranks well without ever saying yes": run(CLASSES, val_acc=[0.968] * 6, auc=[0.70, 0.78, 0.81, 0.82, 0.82]),
        "its score still moves": run(CLASSES, val_acc=[0.968, 0.968, 0.971, 0.975]),
        "classes of a size": run(
            [{**CLASSES[0], "given": 1000}, {**CLASSES[1], "given": 1000}], val_acc=[0.5] * 6
        ),
        "no score is printed": run(CLASSES),
        "too few of the rare class were seen": run([CLASSES[0], {**CLASSES[1], "given": 3}], val_acc=[0.998] * 6),
    },
)  # fmt: skip
def rare_class_missed(
    recalls: ClassRecalls, printed: Printed, *, dominant: float = 0.8, least: int = 8, found: float = 0.08
) -> Iterator[Finding]:
    """The model answers the frequent class only, and every score that the program prints is what that alone gives.

    ## Why it matters
    Answering the frequent class always is right most of the time, and useless.

    ## False alarms
    A model that is used for its scores, such as the chance of a click, may never say yes and still rank well; where the
    program prints a score that tells so, this is quiet.
    """
    most, *rest = recalls.classes or (None,)
    if most is None or not rest:
        return
    others, hits = sum(c.given for c in rest), sum(c.hits for c in rest)
    total = most.given + others
    if most.given < dominant * total or others < least or hits > found * others or most.answered < 0.98 * total:
        return
    scores = [n for n in printed.numbers if n.kind == "score" and n.split != "training"]
    share = most.given / total
    if scores and all(trivial(one, share, len(recalls.classes)) for one in scores):
        names = ", ".join(f"{one.name} {one.values[-1]:.4g}" for one in scores[:3])
        yield Finding(
            f"class {most.label} has {share:.1%} of the samples and is the answer to "
            f"{most.answered / total:.1%}; of the {others} others {hits} are found, and the program prints {names}",
            where=(recalls.where,) if recalls.where else (),
        )


def trivial(score: PrintedNumber, share: float, classes: int) -> bool:
    """Whether a printed score stays at what always answering the frequent class gives."""
    late = score.values[-max(3, len(score.values) // 2) :]
    top = 100.0 if max(score.values) > 1 else 1.0
    if max(late) - min(late) > 0.003 * top:
        return False
    level = late[-1] / top
    return level <= 0.001 or abs(level - 1 / classes) < 0.006 or abs(level - 0.5) < 0.006 or abs(level - share) < 0.05
