from collections.abc import Iterator
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
    late = [k for k, step in enumerate(noise.steps) if step >= noise.last / 2]
    values = curve.values
    if noise.batch is None or noise.batch > few or not late or len(values) < 100 or curve.objectives > 1:
        return
    start, middle, end = (fmean(values[int(a * len(values)) : int(b * len(values))]) for a, b in PARTS)
    shared, floor = median(noise.shared[k] for k in late), median(noise.floor[k] for k in late)
    level = max(abs(end), abs(start - end))
    gain = max(0.0, start - end)
    heavy = floor > of_level * level and floor > of_gain * gain
    # What an eighth of the noise still spoils is no matter of the batch.
    curable = floor * noise.batch / usual < of_gain * level
    settled = middle - end < 0.5 * (start - middle) + 0.02 * level
    if shared < agree and heavy and curable and settled:
        yield Finding(
            f"gradients of {noise.batch} sample{'s' * (noise.batch != 1)} share {max(0.0, shared):.0%} of their size "
            f"from step to step; their noise alone comes to a loss of {floor:.2g}, of {end:.3g} in all",
            where=(curve.where,) if curve.where else (),
        )


# The beginning, the middle and the end of a run.
PARTS = ((0.0, 0.05), (1 / 3, 2 / 3), (2 / 3, 1.0))
