from collections.abc import Iterator
from statistics import median

from stetho.check import Finding, check
from stetho.facts import LossInputs, Printed
from stetho.logged.roles import words_of

RIGHT = frozenset(("acc", "accuracy", "correct"))


def run(values: list[float], trained: float = 0.6, name: str = "val_acc") -> dict[str, object]:
    site = {"function": "cross_entropy", "where": {"file": "train.py", "line": 30}, "looked_at": 30, "normalised": 0}
    number = {"name": name, "kind": "score", "split": "validation", "values": values}
    return {
        "loss-inputs": {"sites": [{**site, "classes": 5, "accuracy_last": trained}]},
        "printed": {"numbers": [number]},
    }


@check(
    reads=(LossInputs, Printed),
    root="held-out-answers-beside-training",
    background=0.05,
    given={"arch/over-regularized": 0.60, "none/healthy": 0.03},
    fires={"learned, and wrong in training": run([0.85, 0.92, 0.94, 0.94])},
    quiet={
        "alike": run([0.85, 0.92, 0.94, 0.94], trained=0.95),
        "dropout costs a little": run([0.85, 0.92, 0.94, 0.94], trained=0.86),
        "overfits": run([0.6, 0.6, 0.59, 0.58], trained=0.99),
        "learns nothing": run([0.2, 0.2, 0.21, 0.2], trained=0.2),
        "another score": run([0.85, 0.92, 0.94, 0.94], name="val_f1"),
    },
)
def held_out_easier(inputs: LossInputs, printed: Printed, *, gap: float = 0.2) -> Iterator[Finding]:
    """Held-out answers are right far more often than those of the training batches.

    ## Why it matters
    What was learned holds, and yet the training labels contradict it: many of them are wrong.

    ## False alarms
    Strong dropout and augmentation make training batches harder than held-out ones.
    """
    site = next((s for s in inputs.sites if s.trained and s.classes and s.accuracy_last is not None), None)
    if site is None or site.accuracy_last is None:
        return
    for one in printed.numbers:
        if one.kind != "score" or one.split != "validation" or not words_of(one.name) & RIGHT or len(one.values) < 3:
            continue
        level = median(one.values[-3:]) / (100.0 if max(one.values) > 1 else 1.0)
        if level - site.accuracy_last > gap:
            yield Finding(
                f"{one.name} ends at {level:.0%}, and {site.accuracy_last:.0%} of the training answers are right",
                where=(site.where,) if site.where else (),
            )
            return
