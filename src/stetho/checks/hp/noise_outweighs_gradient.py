from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean, median

from stetho.check import Finding, check
from stetho.facts import GradientNoise, LossCurve

FALLS = [1.6 - 0.5 * min(1.0, i / 60) + 0.2 * (-1) ** i for i in range(300)]


def noise(batch: int | None, shared: float, floor: float) -> dict[str, object]:
    return {"steps": [0, 60, 160, 220, 280], "shared": [0.2, *[shared] * 4], "floor": [floor] * 5, "batch": batch,
            "last": 299}  # fmt: skip


@check(
    reads=(GradientNoise, LossCurve),
    root="gradient-noise",
    background=0.01,
    given={"other/unlisted": 0.02},
    fires={
        "pairs of samples at a brisk rate": {"gradient-noise": noise(2, 0.01, 0.3), "loss-curve": {"values": FALLS}}
    },
    quiet={
        "pairs of samples at a small rate": {
            "gradient-noise": noise(2, 0.01, 0.01),
            "loss-curve": {"values": FALLS},
        },
        "a usual batch": {"gradient-noise": noise(64, 0.01, 0.3), "loss-curve": {"values": FALLS}},
        "gradients that agree": {"gradient-noise": noise(2, 0.4, 0.3), "loss-curve": {"values": FALLS}},
        "a rate too high for any batch": {"gradient-noise": noise(2, 0.01, 30.0), "loss-curve": {"values": FALLS}},
        "still falling": {
            "gradient-noise": noise(2, 0.01, 0.3),
            "loss-curve": {"values": [2.0 * 0.99**i for i in range(300)]},
        },
        "two players": {"gradient-noise": noise(2, 0.01, 0.3), "loss-curve": {"values": FALLS, "objectives": 2}},
    },
)
def noise_outweighs_gradient(
    noise: GradientNoise,
    curve: LossCurve,
    *,
    few: int = 4,
    agree: float = 0.1,
    of_level: float = 0.08,
    of_gain: float = 0.2,
    usual: int = 32,
) -> Iterator[Finding]:
    """Steps of a few samples have next to nothing in common, and what is chance in them keeps the loss up.

    ## Why it matters
    Each step undoes what the one before has learned. The parameters wander about the minimum at a distance that the
    rate and the noise of a batch set, however long it goes on.

    ## False alarms
    Near its minimum, the gradients of any run have little in common: that counts only where their noise, at this rate,
    is a good part of the loss and of what was learned, where the loss has stopped falling, and where a batch of usual
    size would do.
    """
    found = weighed(noise, curve)
    if found is None or noise.batch is None or noise.batch > few:
        return
    level = found.level
    heavy = found.floor > of_level * level and found.floor > of_gain * found.gain
    # What an eighth of the noise still spoils is no matter of the batch.
    curable = found.floor * noise.batch / usual < of_gain * level
    if found.shared < agree and heavy and curable and found.settled:
        yield Finding(
            f"gradients of {noise.batch} sample{'s' * (noise.batch != 1)} share {max(0.0, found.shared):.0%} of "
            f"their size from step to step; their noise alone comes to a loss of {found.floor:.2g}, of {found.end:.3g} "
            "in all",
            where=(curve.where,) if curve.where else (),
        )


# The beginning, the middle and the end of a run.
PARTS = ((0.0, 0.05), (1 / 3, 2 / 3), (2 / 3, 1.0))


@dataclass(frozen=True)
class Weighed:
    """The noise of late gradients beside the loss."""

    shared: float
    floor: float
    end: float
    level: float
    """The size of the loss, or of what it has come down, whichever is larger."""
    gain: float
    settled: bool
    """Whether the loss has as good as stopped falling."""


def weighed(noise: GradientNoise, curve: LossCurve) -> Weighed | None:
    """How the late noise stands beside the loss; None where too little was seen, or several objectives were."""
    late = [k for k, step in enumerate(noise.steps) if step >= noise.last / 2]
    values = curve.values
    if not late or len(values) < 100 or curve.objectives > 1:
        return None
    start, middle, end = (fmean(values[int(a * len(values)) : int(b * len(values))]) for a, b in PARTS)
    level = max(abs(end), abs(start - end))
    return Weighed(
        shared=median(noise.shared[k] for k in late),
        floor=median(noise.floor[k] for k in late),
        end=end,
        level=level,
        gain=max(0.0, start - end),
        settled=middle - end < 0.5 * (start - middle) + 0.02 * level,
    )
