from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Evaluations, InputShift, LossCurve, LossInputs, Printed
from stetho.held_out import worse_than_training

FEATURE: dict[str, object] = {
    "feature": 3,
    "trained": 0.01,
    "trained_spread": 1.0,
    "evaluated": 6.2,
    "evaluated_spread": 3.1,
    "size": 6.2,
}
SHIFT: dict[str, object] = {
    "trained": 600, "evaluated": 200, "features": 8, "largest": [FEATURE], "middle": 4.0, "usual_largest": 0.4,
    "usual_middle": 0.15,
}  # fmt: skip
SMALL: dict[str, object] = {
    **SHIFT,
    "largest": [{**FEATURE, "evaluated": 1.2, "evaluated_spread": 1.1, "size": 1.2}],
    "middle": 0.2,
}
WORDS: dict[str, object] = {**SHIFT, "tokens": True, "largest": [{**FEATURE, "size": 0.4}], "usual_largest": 0.1}
CURVE = {"values": [1.4 * 0.9**i + 0.1 for i in range(40)]}
SITE = {"function": "cross_entropy", "where": {"file": "train.py", "line": 30}, "looked_at": 30, "normalised": 0}
TRAINED = {"sites": [{**SITE, "classes": 4, "accuracy_last": 0.95}]}


def held(shift: dict[str, object], right: float = 0.3, loss: float = 3.0) -> dict[str, object]:
    line = {
        "function": "cross_entropy", "where": {"file": "train.py", "line": 40}, "steps": [20, 40],
        "losses": [loss, loss], "right": [right, right], "samples": 400, "trained": 0.0,
    }  # fmt: skip
    return {"loss-curve": CURVE, "loss-inputs": TRAINED, "evaluations": {"lines": [line]}, "input-shift": shift}


@check(
    reads=(InputShift, LossCurve),
    also=(Evaluations, LossInputs, Printed),
    root="inputs-of-evaluation",
    background=0.02,
    given={"data/stale-cache": 0.25, "data/inputs-destroyed": 0.15},
    fires={
        "every feature in other units, and held-out answers are wrong": held(SHIFT),
        "one feature, beyond what training shows": held(SMALL),
        "far apart, and nothing is known of the results": {"input-shift": SHIFT, "loss-curve": CURVE},
        "other tokens": held(WORDS),
    },
    quiet={
        "augmented in training only: held-out answers are as good": held(SHIFT, 0.96, 0.1),
        "parts of the training differ as much": held({**SMALL, "usual_largest": 0.7}),
        "alike": held({**SMALL, "largest": [{**FEATURE, "size": 0.3}]}),
        "apart, and nothing is known of the results": {"input-shift": SMALL, "loss-curve": CURVE},
        "only the first batches of an evaluation were seen": held({**SMALL, "whole": False}),
        "two models train against each other": {**held(SHIFT), "loss-curve": {**CURVE, "objectives": 2}},
    },
)  # fmt: skip
def evaluated_on_other_inputs(
    shift: InputShift,
    curve: LossCurve,
    evaluations: Evaluations | None,
    inputs: LossInputs | None,
    printed: Printed | None,
    *,
    furthest: float = 1.0,
    middle: float = 0.5,
) -> Iterator[Finding]:
    """What the model is evaluated on has another centre or spread than what it is trained on, and results are worse.

    ## Why it matters
    A model answers for the inputs it was trained on; in other units or from another source the same sample is another.

    ## False alarms
    Augmentation makes training inputs differ on purpose, and later times drift: where held-out results are as good as
    those of training, nothing is said, and parts of the training data must differ far less from each other.
    """
    worse = worse_than_training(curve, evaluations, inputs, printed)
    if worse is False or curve.objectives > 1 or not shift.largest:
        return
    most = shift.largest[0]
    counts = f"{shift.evaluated} samples of evaluation and {shift.trained} of training"
    if shift.tokens:
        if most.size > 2 * shift.usual_largest + 0.05 and worse:
            yield Finding(f"of the tokens of {counts}, {most.size:.0%} would have to be others to be as frequent")
        return
    factor = (3.0 if worse is None else 1.0) * (1.0 if shift.whole else 2.0)
    one = most.size > max(factor * furthest, 2.5 * shift.usual_largest)
    if one or shift.middle > max(factor * middle, 3 * shift.usual_middle):
        order = ", the channels in reverse order" if shift.swapped else ""
        yield Finding(
            f"feature {most.feature} is {most.trained:.3g} ± {most.trained_spread:.2g} in training and "
            f"{most.evaluated:.3g} ± {most.evaluated_spread:.2g} in evaluation{order} ({counts})"
        )
