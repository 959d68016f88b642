from collections.abc import Iterator, Sequence
from statistics import median

from stetho.check import Finding, check
from stetho.curves import falls_for_ever, finite, shape
from stetho.facts import LossCurve, LossRise

LOGGED = {"values": [2.0] * 40, "logged": True}
RISE = {
    "name": "loss", "points": 80, "start": 10.0, "best": 4.0, "best_step": 50, "end": 60.0, "stretches": 15,
    "order": 0.99, "largest": 0.2, "noises": 60.0, "highest": True,
}  # fmt: skip


@check(
    reads=LossCurve,
    also=LossRise,
    root="loss-curve",
    severity=80,
    fires={
        "ten times the start": {"loss-curve": {"values": [1.0 + i * 0.3 for i in range(40)], "chance": 1.0}},
        "an explosion, level unknown": {"loss-curve": {"values": [1.5**i for i in range(40)]}},
        "an explosion whose last steps rise too fast to have a level": {
            "loss-curve": {"values": [0.3 * 1.12**i for i in range(120)]}
        },
        "an explosion of a loss that some batches do not have": {
            "loss-curve": {"values": [0.0 if i % 4 == 3 else 0.3 * 1.12**i for i in range(120)]}
        },
        "far above chance": {"loss-curve": {"values": [2.3] * 5 + [9.0, 11.0] * 20, "chance": 2.303}},
        "below zero, faster and faster": {"loss-curve": {"values": [-2.3 - 0.05 * i**2 for i in range(120)]}},
        "a log: learns, then climbs far above its beginning": {"loss-curve": LOGGED, "loss-rise": RISE},
        "a log: rises throughout": {
            "loss-curve": LOGGED,
            "loss-rise": {**RISE, "start": 2.3, "best": 2.3, "best_step": 0, "end": 5.0, "stretches": 40},
        },
        "a log: loses most of what it had learned": {
            "loss-curve": LOGGED,
            "loss-rise": {**RISE, "best": 1.0, "end": 6.0},
        },
    },
    quiet={
        "falls": {"loss-curve": {"values": [3.0 - i * 0.05 for i in range(40)]}},
        "a generator's loss may rise": {"loss-curve": {"values": [1.0 + i * 0.3 for i in range(40)], "objectives": 2}},
        "an agent's value loss grows with its returns": {"loss-curve": {"values": [5.0 + i * 0.3 for i in range(60)]}},
        "a value loss that grows tenfold": {"loss-curve": {"values": [2.0 * 1.02**i for i in range(120)]}},
        "ends in one spike": {"loss-curve": {"values": [1.0] * 110 + [1.0, 1.1] * 4 + [900.0, 300.0]}},
        "crosses zero": {"loss-curve": {"values": [0.01 * (-1) ** i for i in range(40)]}},
        "a density that is learned": {"loss-curve": {"values": [3.0 - 8.0 * (1 - 0.95**i) for i in range(120)]}},
        "a log: a weight that grows adds a part": {"loss-curve": LOGGED, "loss-rise": {**RISE, "end": 8.0}},
        "a log: another task, in one jump": {"loss-curve": LOGGED, "loss-rise": {**RISE, "largest": 0.9, "end": 12.0}},
        "a log: comes down again": {"loss-curve": LOGGED, "loss-rise": {**RISE, "end": 16.0, "order": 0.2}},
        "a log: climbs with its rate": {
            "loss-curve": LOGGED,
            "loss-rise": {**RISE, "best": 1.0, "end": 6.0, "rate_grew": 10.0},
        },
        "a log: noise": {"loss-curve": LOGGED, "loss-rise": {**RISE, "noises": 4.0}},
        "a log: of two players": {"loss-curve": {**LOGGED, "objectives": 2}, "loss-rise": RISE},
    },
)
def loss_diverging(
    curve: LossCurve, rise: LossRise | None, *, factor: float = 2.0, unknown: float = 50.0
) -> Iterator[Finding]:
    """The loss ends far above where it started or what it had reached, or falls below zero without end.

    ## Why it matters
    Training undoes what it had: each step makes the model worse, or drives a quantity that has no floor.

    ## False alarms
    Adversarial losses rise and fall against each other; with several objectives this check stays quiet. A
    loss that hovers around zero has no level to compare with, so a rise must be large in noise, too. A log is looked at
    as a whole: a climb that goes on to the end counts, a single jump and a rise along with the rate do not.
    """
    seen = shape(curve.values)
    if seen is None or curve.objectives > 1:
        return
    fall = falls_for_ever(curve.values)
    if fall is not None:
        yield Finding(
            f"loss falls from {fall[0]:.3g} to {fall[1]:.3g} in {seen.steps} steps, without slowing down",
            where=(curve.where,) if curve.where else (),
        )
    if curve.logged and rise is not None and climbs(rise):
        yield Finding(
            f"{rise.name} begins at {rise.start:.3g}, climbs from {rise.best:.3g} at step {rise.best_step} and ends at "
            f"{rise.end:.3g}",
            step=rise.best_step,
        )
        return
    if seen.start <= 0:
        return
    level = max(seen.start, curve.chance or 0.0)
    # Returns and values grow as an agent gets better; without labels to compare with, only an explosion counts.
    supervised = curve.chance is not None or curve.explained is not None
    risen = seen.end > (factor if supervised else unknown) * level and seen.end - seen.start > 5 * seen.error
    if risen or _exploded(curve.values, unknown):
        yield Finding(
            f"loss rises from {seen.start:.3g} to {seen.end:.3g} in {seen.steps} steps",
            where=(curve.where,) if curve.where else (),
        )


def climbs(rise: LossRise, *, above: float = 1.5, times: float = 3.0, share: float = 0.3) -> bool:
    """Whether a logged loss ends far above its beginning, or has lost much of what it had learned, step by step."""
    if rise.noises < 12 or rise.order < 0.7 or rise.largest > 0.6:
        return False
    if rise.highest and rise.end > above * rise.start:
        return True
    lost = rise.end - rise.best > share * max(rise.start - rise.best, 0.0) and rise.end > 0.15 * rise.start
    return lost and rise.end > times * rise.best and (rise.rate_grew is None or rise.rate_grew < 3)


def runs_away(rise: LossRise | None) -> bool:
    """Whether a logged loss climbs far above all that it was, which is as good a failure as NaN."""
    return rise is not None and climbs(rise) and rise.highest and rise.end > max(2 * rise.start, 3 * rise.best)


def _exploded(values: Sequence[float], factor: float) -> bool:
    """Whether most late losses are far above every early one; a curve that rises so fast shows no noise of its own."""
    known = finite(values)
    tenth = len(known) // 10
    if tenth < 2:
        return False
    # Two stretches must show it: what jumps at the very end may be a spike.
    late = min(median(known[-tenth:]), median(known[-2 * tenth : -tenth]))
    return late > factor * max(known[:tenth]) > 0
