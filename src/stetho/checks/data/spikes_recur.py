from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossTexture

TEXTURE = {"name": "loss", "points": 630, "noise": 0.05}
AGAIN = {"met": 9, "of": 10, "distance": 63.0, "height": 12.0, "place": 28, "steps": [91, 154], "lines": [92, 155]}


@check(
    reads=LossTexture,
    root="loss-texture",
    fires={"the same batch in nine of ten epochs": {**TEXTURE, "recurrence": AGAIN}},
    quiet={
        "no spikes": TEXTURE,
        "spikes here and there": {**TEXTURE, "spike_count": 12},
        "hardly above the others": {**TEXTURE, "recurrence": {**AGAIN, "height": 1.6}},
    },
)
def spikes_recur(texture: LossTexture, *, height: float = 2.0) -> Iterator[Finding]:
    """The loss spikes at the same place of the epoch each time, and is back at once.

    ## Why it matters
    What comes back with the data is in the data: a few samples are unlike all others.

    ## False alarms
    The last batch of an epoch may hold few samples and be noisier than the rest; it then lies below the others as
    often as above them.
    """
    again = texture.recurrence
    if again is None or again.height < height:
        return
    at = f"at point {again.place} of the epoch" if again.place is not None else f"every {again.distance:g} steps"
    lines = f", lines {', '.join(map(str, again.lines[:4]))}" if again.lines else ""
    yield Finding(
        f"{texture.name} reaches {again.height:.3g} times its level {at}, {again.met} times of {again.of} (steps "
        f"{', '.join(map(str, again.steps[:4]))} …{lines})",
        step=again.steps[0] if again.steps else None,
    )
