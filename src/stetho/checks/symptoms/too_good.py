from collections.abc import Iterator, Sequence

from stetho.check import Finding, check
from stetho.facts import Metrics
from stetho.logged.roles import words_of


def curves(score: Sequence[float], loss: Sequence[float], name: str = "val_acc") -> dict[str, object]:
    rows = ((name, "score", score), ("val_loss", "loss", loss))
    return {
        "curves": [
            {
                "name": name, "kind": kind, "split": "validation", "file": "log", "points": len(values),
                "steps": list(range(len(values))), "values": list(values),
            }
            for name, kind, values in rows
        ]
    }  # fmt: skip


@check(
    reads=Metrics,
    root="scores",
    severity=15,
    fires={
        "almost perfect from the first epoch on": curves([0.999, 0.9993, 0.9999, 1.0], [0.006, 0.004, 0.002, 1e-3]),
        "in percent": curves([99.9, 99.95, 99.98, 99.99], [0.005, 0.003, 0.002, 0.001]),
        "by ranks": curves([0.9998, 0.9999, 1.0], [0.006, 0.004, 0.002], "val_auc"),
    },
    quiet={
        "an easy task, learned": curves([0.981, 0.989, 0.992, 0.993], [0.06, 0.035, 0.03, 0.028]),
        "learned by heart after a while": curves([0.7, 0.9, 0.999, 1.0], [0.6, 0.3, 0.01, 0.001]),
        "separable, and not yet sure of it": curves([1.0, 1.0, 1.0, 1.0], [0.31, 0.12, 0.05, 0.02]),
        "one class dominates": curves([0.998, 0.998, 0.998, 0.998], [0.015, 0.0145, 0.0142, 0.0141]),
        "one point": curves([0.999], [0.005]),
    },
)  # fmt: skip
def too_good(metrics: Metrics, *, first: float = 0.995, sure: float = 0.02) -> Iterator[Finding]:
    """Validation is almost perfect the first time it is measured.

    ## Why it matters
    Real tasks are learned over some time and to some point. An answer that is right and sure at once was in the input,
    in the training data, or is not compared with the truth.

    ## False alarms
    Toy tasks, and runs that go on from trained weights. Where one class dominates, accuracy is high from the beginning
    and never perfect: it must come to a thousandth of a half of its best possible value, and the loss must be small.
    """
    held = [c for c in metrics.curves if c.split == "validation" and len(c.values) >= 3]
    losses = [c for c in held if c.kind == "loss"]
    for one in held:
        if one.kind != "score" or not words_of(one.name) & {"acc", "accuracy", "auc", "auroc", "f", "map"}:
            continue
        top = 1.0 if max(one.values) <= 1.0 else 100.0
        if one.values[0] >= first * top and max(one.values) >= 0.9995 * top and any(
            0 <= loss.values[0] < sure for loss in losses
        ):  # fmt: skip
            yield Finding(
                f"{one.name} is {one.values[0]:.4g} the first time it is measured, at step {one.steps[0]}, and "
                f"{max(one.values):.4g} at best",
                step=one.steps[0],
            )
            return
