from collections.abc import Iterator
from statistics import median

from stetho.check import Finding, check
from stetho.facts import LossInputs, Printed
from stetho.logged.roles import words_of

RIGHT = frozenset(("acc", "accuracy", "correct"))


def run(
    values: list[float], classes: int | None = 4, trained: float | None = 0.95, name: str = "val_acc"
) -> dict[str, object]:
    site = {"function": "cross_entropy", "where": {"file": "train.py", "line": 30}, "looked_at": 30, "normalised": 0}
    number = {"name": name, "kind": "score", "split": "validation", "values": values}
    return {
        "loss-inputs": {"sites": [{**site, "classes": classes, "accuracy_last": trained}]},
        "printed": {"numbers": [number]},
    }


@check(
    reads=(LossInputs, Printed),
    root="held-out-answers",
    background=0.02,
    given={
        "data/labels-misaligned": 0.03,
        "other/unlisted": 0.06,
    },
    fires={
        "hardly ever right": run([0.02, 0.01, 0.02, 0.01]),
        "two classes, exchanged": run([0.3, 0.1, 0.05, 0.04], classes=2),
        "in percent": run([1.2, 0.8, 0.9, 1.1], name="test accuracy"),
    },
    quiet={
        "learned": run([0.6, 0.8, 0.9, 0.91]),
        "learned by heart: as good as chance": run([0.26, 0.24, 0.25, 0.25]),
        "nothing learned yet": run([0.02, 0.01, 0.02, 0.01], trained=0.26),
        "many classes": run([0.001, 0.002, 0.001, 0.002], classes=400),
        "another score": run([0.02, 0.01, 0.02, 0.01], name="val_f1"),
        "an error": run([0.02, 0.01, 0.02, 0.01], name="val accuracy error"),
        "printed once or twice": run([0.02, 0.01]),
        "numbers": run([0.02, 0.01, 0.02, 0.01], classes=None),
    },
)
def right_less_than_by_chance(inputs: LossInputs, printed: Printed, *, least: int = 3) -> Iterator[Finding]:
    """Training answers are right, and the accuracy that the program prints of held-out data is far below chance.

    ## Why it matters
    A model that has learned nothing general is right as often as chance; to be wrong on nearly all it must know the
    answers, under other numbers.

    ## False alarms
    Scores of other kinds may be low by nature; only accuracies count, and only where the number of classes is small.
    """
    site = next((s for s in inputs.sites if s.trained and s.classes and s.accuracy_last is not None), None)
    if site is None or site.classes is None or not 2 <= site.classes <= 20 or (site.accuracy_last or 0.0) < 0.7:
        return
    for one in printed.numbers:
        named = words_of(one.name)
        if one.kind != "score" or one.split == "training" or not named & RIGHT or "error" in named:
            continue
        late = one.values[-max(least, len(one.values) // 3) :]
        # A share in percent looks like one below 1 only where all of it is that low.
        top = 100.0 if max(one.values) > 1 else 1.0
        level = median(late) / top
        if len(late) >= least and level < 0.4 / site.classes:
            yield Finding(
                f"{one.name} ends at {late[-1]:.3g}, by chance it would be {top / site.classes:.3g}, while "
                f"{site.accuracy_last or 0.0:.0%} of the training answers are right",
                where=(site.where,) if site.where else (),
            )
            return
