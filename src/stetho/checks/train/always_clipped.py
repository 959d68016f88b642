from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LearningRate, UpdateRatios

RATE = {"optimizer": "SGD", "steps": [0, 1], "values": [0.1, 0.1], "initial": 0.1}
SMALL = {"steps": [0, 1, 2], "ratios": [1e-6, 1e-6, 1e-6]}


@check(
    reads=(LearningRate, UpdateRatios),
    root="clipping",
    background=0.03,
    fires={"every step, and tiny updates": {"learning-rate": {**RATE, "clipped": 1.0}, "update-ratios": SMALL}},
    quiet={
        "nothing clips": {"learning-rate": RATE, "update-ratios": SMALL},
        "clips often, moves enough": {
            "learning-rate": {**RATE, "clipped": 1.0},
            "update-ratios": {"steps": [0, 1], "ratios": [1e-3, 1e-3]},
        },
    },
)
def always_clipped(rate: LearningRate, updates: UpdateRatios, *, share: float = 0.95) -> Iterator[Finding]:
    """Clipping fires at nearly every step and leaves updates that hardly move the parameters.

    ## Why it matters
    The clip, not the learning rate, decides the step size.

    ## False alarms
    Large language models clip at most steps early on, in health; their updates still move the parameters.
    """
    middle = sorted(updates.ratios)[len(updates.ratios) // 2] if updates.ratios else 1.0
    if rate.clipped is not None and rate.clipped >= share and middle < 1e-4:
        yield Finding(
            f"gradients are clipped in {rate.clipped:.0%} of the steps; a step moves the parameters by {middle:.1g}"
        )
