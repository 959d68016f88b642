from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.curves import shape
from stetho.facts import Evaluations, LossCurve, LossInputs, Printed, TrainingSet
from stetho.held_out import held_out_right, trained_right

FEW: dict[str, object] = {"samples": 60, "parameters": 20_000, "by_loader": True}
CURVE = {"values": [1.6 * 0.9**i + 0.001 for i in range(60)], "chance": 1.6}
SITE = {"function": "cross_entropy", "where": {"file": "train.py", "line": 30}, "looked_at": 30, "normalised": 0}


def run(right: float, held: float, training: dict[str, object] = FEW) -> dict[str, object]:
    number = {"name": "val_acc", "kind": "score", "split": "validation", "values": [held] * 4}
    return {
        "training-set": training,
        "loss-curve": CURVE,
        "loss-inputs": {"sites": [{**SITE, "classes": 5, "accuracy_last": right}]},
        "printed": {"numbers": [number]},
    }


def predicted(loss: float) -> dict[str, object]:
    """Numbers are predicted, and evaluated by the same loss."""
    line = {
        "function": "mse_loss", "where": None, "steps": [20, 40, 60], "losses": [loss] * 3, "right": [None] * 3,
        "samples": 300, "trained": 0.0,
    }  # fmt: skip
    return {"training-set": FEW, "loss-curve": CURVE, "evaluations": {"lines": [line]}}


@check(
    reads=(TrainingSet, LossCurve),
    also=(LossInputs, Evaluations, Printed),
    root="samples-to-learn-from",
    background=0.02,
    given={"hp/overfitting": 0.35, "data/worker-seed-duplication": 0.05},
    fires={
        "sixty samples, all known by heart": run(1.0, 0.55),
        "numbers, too": predicted(1.1),
    },
    quiet={
        "held-out answers are right": run(1.0, 0.97),
        "not learned yet": {**run(0.7, 0.4), "loss-curve": {"values": [1.6, 1.5, 1.3, 1.2] * 10, "chance": 1.6}},
        "many samples": run(1.0, 0.55, {**FEW, "samples": 5000, "parameters": 1_000_000}),
        "a small model": run(1.0, 0.55, {**FEW, "parameters": 200}),
        "held-out numbers are predicted well": predicted(0.05),
        "nothing is known of held-out data": {"training-set": FEW, "loss-curve": CURVE},
    },
)  # fmt: skip
def few_samples_by_heart(
    training: TrainingSet,
    curve: LossCurve,
    inputs: LossInputs | None,
    evaluations: Evaluations | None,
    printed: Printed | None,
    *,
    most: int = 1000,
    times: int = 10,
) -> Iterator[Finding]:
    """A model with many times more parameters than there are samples knows these by heart, and little of others.

    ## Why it matters
    What holds for all data cannot be told from what holds for a few samples by chance; more of them tell it.

    ## False alarms
    Models whose first layers were trained elsewhere need few samples, and then do well on held-out ones, too.
    """
    if training.samples > most or training.parameters < times * training.samples or curve.objectives > 1:
        return
    gap = _gap(curve, inputs, evaluations, printed)
    if gap:
        yield Finding(f"{training.samples} samples train {training.parameters} parameters; {gap}")


def _gap(curve: LossCurve, inputs: LossInputs | None, evaluations: Evaluations | None, printed: Printed | None) -> str:
    """What is known by heart beside what held-out data shows, in words; empty where the two are not far apart."""
    ours, theirs, end = trained_right(inputs), held_out_right(evaluations, printed), shape(curve.values)
    low = end is not None and curve.chance is not None and end.end < 0.1 * curve.chance
    if ours is not None and theirs is not None:
        # Answers are looked at now and then, so that those of the last steps are more often right.
        far = (ours >= 0.95 or low) and theirs < min(ours, 0.95) - 0.15
        return f"{ours:.0%} of the training answers are right, and {theirs:.0%} of the held-out ones" if far else ""
    held = evaluations.held_out() if evaluations is not None else None
    if held is None or end is None or not curve.chance:
        return ""
    best = min(held.losses)
    far = low and best > max(0.25 * curve.chance, 5 * end.end)
    return f"the training loss ends at {end.end:.3g}, and the held-out one is {best:.3g} at best" if far else ""
