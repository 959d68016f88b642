from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.curves import shape
from stetho.facts import LossCurve, UpdateRatios

BARELY = [1e-6] * 20


@check(
    reads=(LossCurve, UpdateRatios),
    root="loss-curve",
    severity=40,
    fires={
        "creeps": {
            "loss-curve": {"values": [2.31 - i * 0.002 for i in range(200)], "chance": 2.303},
            "update-ratios": {"steps": list(range(20)), "ratios": BARELY},
        }
    },
    quiet={
        "learns": {
            "loss-curve": {"values": [2.3 * 0.98**i for i in range(200)], "chance": 2.303},
            "update-ratios": {"steps": list(range(20)), "ratios": [1e-3] * 20},
        },
        "fine-tuning from a low loss": {
            "loss-curve": {"values": [0.4 - i * 0.0001 for i in range(200)], "chance": 2.303},
            "update-ratios": {"steps": list(range(20)), "ratios": BARELY},
        },
    },
)
def loss_slow(curve: LossCurve, updates: UpdateRatios, *, moved: float = 0.10) -> Iterator[Finding]:
    """The loss creeps down while the parameters have hardly moved in the whole run.

    ## Why it matters
    The run will end long before it has learned what it could.

    ## False alarms
    Fine-tuning moves little on purpose and starts low; only a run that began at or above chance, or whose
    chance is unknown, and has come down by less than half counts.
    """
    seen = shape(curve.values)
    if seen is None or curve.objectives > 1 or seen.steps < 20 or seen.end <= 0 or not updates.ratios:
        return
    path = sum(updates.ratios) / len(updates.ratios) * seen.steps
    high = curve.chance is None or (seen.start > 0.8 * curve.chance and seen.end > 0.5 * curve.chance)
    if path < moved and high and seen.end > 0.5 * seen.start and seen.end < 0.999 * seen.start:
        yield Finding(
            f"loss comes down from {seen.start:.4g} to {seen.end:.4g} only, while {seen.steps} steps together "
            f"moved the parameters by {path:.1%} of their norm",
            where=(curve.where,) if curve.where else (),
        )
