from collections.abc import Iterator, Sequence
from statistics import median

from stetho.check import Finding, check
from stetho.checks.data.input_scale_unusual import layers, normalised
from stetho.facts import Activations, InputScale


def features(*stds: float, mean: float = 0.0) -> dict[str, object]:
    size = max(stds)
    held = [{"mean": mean, "std": std} for std in stds]
    return {"mean": mean, "std": size / 2, "low": -size, "high": size, "features": held}


@check(
    reads=InputScale,
    also=Activations,
    root="input-scale",
    background=0.02,
    given={"data/outlier-batch": 0.20},
    fires={
        "one of six": {"input-scale": features(9000.0, 1.0, 0.9, 1.1, 1.0, 0.8)},
        "two of eight, in front of a linear layer": {
            "input-scale": features(5000.0, 8000.0, 1.0, 0.9, 1.1, 1.0, 0.8, 1.0),
            "activations": layers("Linear", "LayerNorm", out=900.0),
        },
    },
    quiet={
        "alike": {"input-scale": features(1.0, 0.9, 1.2, 0.8)},
        "all of them raw, and alike": {"input-scale": features(250.0, 190.0, 300.0, 80.0)},
        "columns that hardly ever change": {"input-scale": features(1.0, 0.0004, 0.0, 0.9, 0.0003, 0.0004)},
        "units that differ": {"input-scale": features(40.0, 1.0, 3.0, 12.0, 0.4)},
        "each is normalised by the model": {
            "input-scale": features(9000.0, 1.0, 0.9, 1.1, 1.0),
            "activations": layers("BatchNorm1d", "Linear", out=1.0),
        },
        "half of them": {"input-scale": features(9000.0, 8000.0, 1.0, 1.0)},
    },
)  # fmt: skip
def feature_drowns_others(
    scale: InputScale, activations: Activations | None, *, times: float = 300.0, large: float = 30.0
) -> Iterator[Finding]:
    """A few features of the input are hundreds of times larger than all the others.

    ## Why it matters
    The first layer hears nothing but them: what the others say is lost in their noise, and the rate that suits the
    others is far too high for them.

    ## False alarms
    A model that normalises each feature first takes any scale, and is not counted.
    """
    if scale.discrete or len(scale.features) < 3 or normalised(scale, activations, behind=False):
        return
    loud = drowning([f.std for f in scale.features], times, large)
    if loud:
        sizes = [f.std for n, f in enumerate(scale.features) if n not in loud and f.std > 0]
        names = ", ".join(map(str, loud[:4]))
        yield Finding(
            f"input feature{'s' if len(loud) > 1 else ''} {names} of {len(scale.features)} have std "
            f"{max(scale.features[n].std for n in loud):.3g}, the others {median(sizes):.3g}",
            where=(scale.where,) if scale.where else (),
        )


def drowning(stds: Sequence[float], times: float, large: float) -> list[int]:
    """The features that are so much larger than the larger ones of the rest; they must be few."""
    ordered = sorted(stds)
    for many in range(1, max(2, len(stds) // 3 + 1)):
        rest, loudest = ordered[:-many], ordered[-many:]
        if rest and rest[-1] > 0 and loudest[0] > max(large, times * rest[-1]):
            return [n for n, std in enumerate(stds) if std >= loudest[0]]
    return []
