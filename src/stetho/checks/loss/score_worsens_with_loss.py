from collections.abc import Iterator
from statistics import median

from stetho.check import Finding, check
from stetho.curves import finite, roughness
from stetho.facts import LossCurve, Scores

DOWN = {"values": [-0.1 - 0.3 * i for i in range(40)]}
SCORE = {"name": "acc", "split": "", "steps": list(range(40))}


@check(
    reads=(LossCurve, Scores),
    root="loss against score",
    background=0.02,
    given={"loss/wrong-sign": 0.85, "other/unlisted": 0.03},
    fires={
        "both fall": {"loss-curve": DOWN, "scores": {**SCORE, "values": [max(0.0, 0.5 - 0.02 * i) for i in range(40)]}},
    },
    quiet={
        "the score rises": {"loss-curve": DOWN, "scores": {**SCORE, "values": [0.1 + 0.02 * i for i in range(40)]}},
        "the score stays": {"loss-curve": DOWN, "scores": {**SCORE, "values": [0.1, 0.11, 0.09, 0.1] * 10}},
        "a loss that is not negative": {
            "loss-curve": {"values": [3.0 - 0.05 * i for i in range(40)]},
            "scores": {**SCORE, "values": [0.5 - 0.01 * i for i in range(40)]},
        },
    },
)  # fmt: skip
def score_worsens_with_loss(curve: LossCurve, scores: Scores, *, least: int = 8) -> Iterator[Finding]:
    """The loss falls far below zero while the score falls, too.

    ## Why it matters
    What is called better by the loss is worse by the score: the two point in opposite directions.

    ## False alarms
    A score on validation data can fall while training goes on; only a loss that has gone far below zero counts.
    """
    losses, measured = finite(curve.values), finite(scores.values)
    if len(losses) < least or len(measured) < least or curve.objectives > 1:
        return
    parts = [(median(v[: max(1, len(v) // 8)]), median(v[-max(1, len(v) // 8) :])) for v in (losses, measured)]
    (start, end), (before, after) = parts
    below = end < 0 and start - end > 3 * max(abs(start), 10 * roughness(losses), 0.1)
    if below and before - after > max(0.25 * abs(before), 6 * roughness(measured)):
        yield Finding(
            f"the loss falls from {start:.4g} to {end:.4g}, and {scores.name} from {before:.3g} to {after:.3g}"
        )
