from collections.abc import Iterator, Sequence
from statistics import median

from stetho.check import Finding, check
from stetho.curves import falls_for_ever, finite, shape
from stetho.facts import LossCurve


@check(
    reads=LossCurve,
    root="loss-curve",
    severity=80,
    fires={
        "ten times the start": {"values": [1.0 + i * 0.3 for i in range(40)], "chance": 1.0},
        "an explosion, level unknown": {"values": [1.5**i for i in range(40)]},
        "an explosion whose last steps rise too fast to have a level": {"values": [0.3 * 1.12**i for i in range(120)]},
        "an explosion of a loss that some batches do not have": {
            "values": [0.0 if i % 4 == 3 else 0.3 * 1.12**i for i in range(120)]
        },
        "far above chance": {"values": [2.3] * 5 + [9.0, 11.0] * 20, "chance": 2.303},
        "below zero, faster and faster": {"values": [-2.3 - 0.05 * i**2 for i in range(120)]},
    },
    quiet={
        "falls": {"values": [3.0 - i * 0.05 for i in range(40)]},
        "a generator's loss may rise": {"values": [1.0 + i * 0.3 for i in range(40)], "objectives": 2},
        "an agent's value loss grows with its returns": {"values": [5.0 + i * 0.3 for i in range(60)]},
        "a value loss that grows tenfold": {"values": [2.0 * 1.02**i for i in range(120)]},
        "ends in one spike": {"values": [1.0] * 110 + [1.0, 1.1] * 4 + [900.0, 300.0]},
        "crosses zero": {"values": [0.01 * (-1) ** i for i in range(40)]},
        "a density that is learned": {"values": [3.0 - 8.0 * (1 - 0.95**i) for i in range(120)]},
    },
)
def loss_diverging(curve: LossCurve, *, factor: float = 2.0, unknown: float = 50.0) -> Iterator[Finding]:
    """The loss ends far above where it started, or falls below zero without end.

    ## Why it matters
    Training undoes what it had: each step makes the model worse, or drives a quantity that has no floor.

    ## False alarms
    Adversarial losses rise and fall against each other; with several objectives this check stays quiet. A
    loss that hovers around zero has no level to compare with, so a rise must be large in noise, too.
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


def _exploded(values: Sequence[float], factor: float) -> bool:
    """Whether most late losses are far above every early one; a curve that rises so fast shows no noise of its own."""
    known = finite(values)
    tenth = len(known) // 10
    if tenth < 2:
        return False
    # Two stretches must show it: what jumps at the very end may be a spike.
    late = min(median(known[-tenth:]), median(known[-2 * tenth : -tenth]))
    return late > factor * max(known[:tenth]) > 0
