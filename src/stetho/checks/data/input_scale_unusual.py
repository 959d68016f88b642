from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import InputScale


@check(
    reads=InputScale,
    root="input-scale",
    background=0.05,
    fires={
        "pixels 0..255": {"mean": 121.0, "std": 70.0, "low": 0.0, "high": 255.0},
        "features of different units": {
            "mean": 1.0,
            "std": 8.0,
            "low": -9.0,
            "high": 20.0,
            "feature_spread": 5000.0,
        },
    },
    quiet={
        "standardised": {"mean": 0.01, "std": 1.0, "low": -3.2, "high": 3.4, "feature_spread": 1.3},
        "token ids": {"mean": 900.0, "std": 500.0, "low": 0.0, "high": 2000.0, "discrete": True},
        "0..1": {"mean": 0.4, "std": 0.3, "low": 0.0, "high": 1.0},
    },
)
def input_scale_unusual(scale: InputScale, *, far: float = 10.0, spread: float = 100.0) -> Iterator[Finding]:
    """The model's input is far from mean 0 and standard deviation 1, or its features differ wildly in scale.

    ## Why it matters
    Gradients of the first layer grow with the input; a usual learning rate is then too high for it, and
    small features are not heard.

    ## False alarms
    Models that normalise in their first layer take any scale.
    """
    if scale.discrete:
        return
    if abs(scale.mean) > far or scale.std > far or (scale.feature_spread or 1.0) > spread:
        differ = f", features differ {scale.feature_spread:.0f}-fold" if (scale.feature_spread or 0) > spread else ""
        yield Finding(
            f"the model's input has mean {scale.mean:.3g} and std {scale.std:.3g}{differ}",
            where=(scale.where,) if scale.where else (),
        )
