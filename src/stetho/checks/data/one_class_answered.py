from collections.abc import Iterator, Sequence
from math import isfinite, log
from statistics import median

from stetho.check import Finding, check
from stetho.facts import Metrics
from stetho.logged.roles import words_of


def logged(**curves: Sequence[float]) -> dict[str, object]:
    return {
        "curves": [
            {
                "name": name, "kind": "loss" if "loss" in name else "score", "split": "", "file": "log",
                "points": len(values), "steps": list(range(len(values))), "values": list(values),
            }
            for name, values in curves.items()
        ]
    }  # fmt: skip


TEN = [0.94] * 10
FALLS = [0.39, 0.30, 0.26, 0.24, 0.235, 0.23, 0.228, 0.229, 0.227, 0.228]


@check(
    reads=Metrics,
    root="scores",
    fires={
        "one recall is 0, accuracy does not move": logged(val_acc=TEN, recall_1=[0.0] * 10),
        "no class but one is found": logged(accuracy=[97.0] * 9, f1=[0.0] * 9, loss=FALLS[:9]),
        "the loss is the entropy of the classes": logged(val_acc=TEN, val_loss=FALLS),
    },
    quiet={
        "accuracy moves": logged(val_acc=[0.94, 0.95, *TEN[2:]], recall_1=[0.0] * 10),
        "stuck at one half": logged(val_acc=[0.5] * 10, val_loss=[0.693] * 10),
        "recall is there": logged(val_acc=TEN, recall_1=[0.4] * 10, val_loss=[0.1] * 10),
        "learned": logged(val_acc=[1.0] * 10, val_loss=[0.001] * 10),
    },
)
def one_class_answered(metrics: Metrics, *, least: int = 8) -> Iterator[Finding]:
    """The accuracy is one high number for ever, as the share of one class would be, and nothing else is found.

    ## Why it matters
    Answering the frequent class always is right most of the time, and useless.

    ## False alarms
    A score that is not computed anew looks the same; here the rare class is never found, or the loss is the entropy of
    two classes of that share.
    """
    scores = [c for c in metrics.curves if c.kind == "score" and len(c.values) >= least]
    losses = [c for c in metrics.curves if c.kind == "loss" and len(c.values) >= least]
    for one in scores:
        top = 1.0 if max(one.values) <= 1.0 else 100.0
        share = one.values[0] / top
        if not words_of(one.name) & {"acc", "accuracy"} or len(set(one.values)) > 1 or not 0.6 <= share < 0.9995:
            continue
        missed = [c for c in scores if not any(c.values) and words_of(c.name) & {"recall", "f", "precision", "tpr"}]
        entropy = -share * log(share) - (1 - share) * log(1 - share)
        near = [c for c in losses if abs(level(c.values) - entropy) < 0.03 * entropy]
        if missed or near:
            why = f"{missed[0].name} is always 0" if missed else (
                f"{near[0].name} comes to {level(near[0].values):.3g}, the entropy of two classes of that share"
            )  # fmt: skip
            yield Finding(f"{one.name} is {one.values[0]:.4g} all {len(one.values)} times, and {why}")
            return


def level(values: Sequence[float]) -> float:
    late = [v for v in values[-max(3, len(values) // 4) :] if isfinite(v)]
    return median(late) if late else float("nan")
