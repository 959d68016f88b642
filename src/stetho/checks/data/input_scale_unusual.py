import math
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Activations, InputScale

PIXELS = {"mean": 121.0, "std": 70.0, "low": 0.0, "high": 255.0}


def layers(*kinds: str, out: float = 60.0) -> dict[str, object]:
    seen = {"where": None, "samples": 3, "mean_first": 0.0, "mean_last": 0.0, "std_first": out, "std_last": out}
    return {"steps": [0, 1], "layers": [{**seen, "name": f"net.{n}", "kind": kind} for n, kind in enumerate(kinds)]}


@check(
    reads=InputScale,
    also=Activations,
    root="input-scale",
    background=0.12,
    fires={
        "pixels 0..255": {"input-scale": PIXELS, "activations": layers("Conv2d", "ReLU", "Conv2d")},
        "nothing known of the layers": {"input-scale": PIXELS},
        "features of different units": {
            "input-scale": {"mean": 1.0, "std": 8.0, "low": -9.0, "high": 20.0, "feature_spread": 5000.0},
        },
    },
    quiet={
        "standardised": {
            "input-scale": {"mean": 0.01, "std": 1.0, "low": -3.2, "high": 3.4, "feature_spread": 1.3},
        },
        "token ids": {
            "input-scale": {"mean": 900.0, "std": 500.0, "low": 0.0, "high": 2000.0, "discrete": True},
        },
        "one extreme sample": {
            "input-scale": {"mean": 12.0, "std": 90.0, "low": -3.0, "high": 9e4, "usual_mean": 0.0, "usual_std": 1.0},
        },
        "0..1": {"input-scale": {"mean": 0.4, "std": 0.3, "low": 0.0, "high": 1.0}},
        "the model normalises first": {"input-scale": PIXELS, "activations": layers("BatchNorm2d", "Conv2d")},
        "a norm behind the first layer": {"input-scale": PIXELS, "activations": layers("Conv2d", "BatchNorm2d")},
        "the model divides by 255 itself": {"input-scale": PIXELS, "activations": layers("Conv2d", "ReLU", out=0.3)},
    },
)  # fmt: skip
def input_scale_unusual(
    scale: InputScale, activations: Activations | None, *, far: float = 10.0, spread: float = 100.0
) -> Iterator[Finding]:
    """The model's input is far from mean 0 and standard deviation 1, or its features differ wildly in scale.

    ## Why it matters
    Gradients of the first layer grow with the input; a usual learning rate is then too high for it, and
    small features are not heard.

    ## False alarms
    A model that normalises in its first layers, or whose first layer puts out ordinary numbers all the same, takes any
    scale and is not counted. Many others learn from raw numbers as well; only a run on standardised ones tells.
    """
    if scale.discrete:
        return
    mean, std, apart = usual(scale)
    differ = apart > spread and not normalised(scale, activations, behind=False)
    large = (abs(mean) > far or std > far) and not normalised(scale, activations, behind=True)
    if differ or large:
        words = f", features differ {apart:.0f}-fold" if differ else ""
        yield Finding(
            f"the model's input has mean {mean:.3g} and std {std:.3g}{words}",
            where=(scale.where,) if scale.where else (),
        )


def usual(scale: InputScale) -> tuple[float, float, float]:
    """Mean, spread and how far features are apart, as most batches have them."""
    mean = scale.mean if scale.usual_mean is None else scale.usual_mean
    std = scale.std if scale.usual_std is None else scale.usual_std
    return mean, std, (scale.feature_spread if scale.usual_spread is None else scale.usual_spread) or 1.0


def normalised(scale: InputScale, activations: Activations | None, *, behind: bool) -> bool:
    """Whether the model's own first layers take the scale away; `behind` also counts a norm after the first of them."""
    first = activations.layers[: 2 if behind else 1] if activations is not None else ()
    if any("Norm" in one.kind for one in first):
        return True
    size = math.hypot(*usual(scale)[:2])
    out = first[0].std_first if first and first[0].kind not in BOUNDED else None
    return out is not None and math.isfinite(size) and out < 0.02 * size


# Layers whose output is small whatever comes in, or has nothing to do with the numbers that came in.
BOUNDED = ("GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNCell", "Tanh", "Sigmoid", "Softmax", "Embedding")
