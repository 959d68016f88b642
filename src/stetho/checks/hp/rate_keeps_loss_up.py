from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.hp.noise_outweighs_gradient import FALLS, noise, weighed
from stetho.facts import GradientNoise, LearningRate, LossCurve

RATE = {"optimizer": "AdamW", "steps": [0], "values": [0.05], "initial": 0.05}
STOPS = {"loss-curve": {"values": FALLS}, "learning-rate": RATE}


@check(
    reads=(GradientNoise, LossCurve, LearningRate),
    root="gradient-noise",
    background=0.01,
    given={
        "other/unlisted": 0.02, "train/missing-zero-grad": 0.20, "loss/wrong-reduction": 0.25,
        "train/accumulation-scale": 0.20, "data/inputs-unnormalized": 0.05, "data/outlier-batch": 0.10,
        "hp/no-warmup": 0.05, "num/exploding-gradients": 0.05,
    },
    fires={"a usual batch at a rate that is far too high": {"gradient-noise": noise(32, 0.01, 0.16), **STOPS}},
    quiet={
        "a usual rate": {"gradient-noise": noise(32, 0.01, 0.01), **STOPS},
        "pairs of samples: a matter of the batch": {"gradient-noise": noise(2, 0.01, 0.16), **STOPS},
        "gradients that agree": {"gradient-noise": noise(32, 0.4, 0.16), **STOPS},
        "still falling": {
            "gradient-noise": noise(32, 0.01, 0.16), "loss-curve": {"values": [2.0 * 0.99**i for i in range(300)]},
            "learning-rate": RATE,
        },
        "next to nothing beside what was learned": {
            "gradient-noise": noise(32, 0.01, 0.02), "learning-rate": RATE,
            "loss-curve": {"values": [2.3, 2.2, 2.0, 1.5, 1.0, *[0.05] * 295]},
        },
    },
)  # fmt: skip
def rate_keeps_loss_up(
    noise: GradientNoise,
    curve: LossCurve,
    rate: LearningRate,
    *,
    usual: int = 8,
    agree: float = 0.1,
    of_level: float = 0.08,
    of_gain: float = 0.12,
) -> Iterator[Finding]:
    """Steps of a usual batch have nothing in common any more, and at this rate their noise keeps the loss up.

    ## Why it matters
    The parameters wander about the minimum at a distance that the rate sets. The loss stops falling far above what the
    same model reaches at a smaller rate, and nothing else is to be seen.

    ## False alarms
    Any constant rate leaves some noise: it must be a good part of the loss, and of all that was learned.
    """
    found = weighed(noise, curve)
    if found is None or noise.batch is None or noise.batch < usual or not found.settled:
        return
    if found.shared < agree and found.floor > max(of_level * found.level, of_gain * found.gain):
        yield Finding(
            f"gradients of {noise.batch} samples have nothing in common any more, and at lr {rate.initial:.3g} their "
            f"noise alone comes to a loss of {found.floor:.2g}, of {found.end:.3g} in all",
            where=rate.frames or ((rate.where,) if rate.where else ()),
        )
