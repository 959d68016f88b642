from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossTexture

TEXTURE = {"name": "loss", "points": 375, "noise": 2.0}
CYCLES = {"count": 15, "low": 0.03, "peak": 8.0, "distance": 25.0, "lasts": 12.0, "steps": [7, 23, 53]}


@check(
    reads=LossTexture,
    root="loss-texture",
    fires={"fifteen times": {**TEXTURE, "cycles": CYCLES}},
    quiet={"noise": TEXTURE, "a few times": {**TEXTURE, "cycles": {**CYCLES, "count": 3}}},
)
def loss_begins_anew(texture: LossTexture, *, least: int = 5) -> Iterator[Finding]:
    """The loss sinks to almost nothing, jumps above its beginning, and sinks again, at even distances.

    ## Why it matters
    The model learns what comes now and forgets what came before: the samples arrive in an order, such as by class.

    ## False alarms
    A schedule that restarts the rate makes steps of this kind, too; where the rate is logged and rises there, they are
    not counted.
    """
    cycles = texture.cycles
    if cycles is not None and cycles.count >= least:
        yield Finding(
            f"{texture.name} sinks to {cycles.low:.2g} within about {cycles.lasts:g} points and jumps to "
            f"{cycles.peak:.3g}, {cycles.count} times, every {cycles.distance:g} steps (steps "
            f"{', '.join(map(str, cycles.steps[:4]))} …)",
            step=cycles.steps[0] if cycles.steps else None,
        )
