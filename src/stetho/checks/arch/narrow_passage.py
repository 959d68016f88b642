from collections.abc import Iterator
from itertools import pairwise

from stetho.check import Finding, check
from stetho.checks.arch.weights_off_scale import MULTIPLYING, layer, weight
from stetho.facts import Activations, WeightStatistics


def run(*shapes: tuple[int, ...]) -> dict[str, object]:
    names = [f"Net.{i}" for i in range(len(shapes))]
    return {
        "weight-statistics": {
            "steps": [0, 50],
            "layers": [weight(f"{n}.weight", s, 0.1) for n, s in zip(names, shapes, strict=True)],
        },
        "activations": {"steps": [0, 50], "layers": [layer(name) for name in names]},
    }


@check(
    reads=(WeightStatistics, Activations),
    root="narrow-passage",
    background=0.02,
    given={"other/unlisted": 0.02},
    fires={"one unit between two layers": run((1, 12), (4, 1))},
    quiet={
        "wide enough": run((32, 12), (4, 32)),
        "one number at the end": run((32, 12), (1, 32)),
        "two numbers in the middle of an autoencoder": run((32, 12), (2, 32), (32, 2), (12, 32)),
        "scores of an attention, beside the rest": run((32, 12), (1, 32), (4, 32)),
    },
)
def narrow_passage(weights: WeightStatistics, layers: Activations) -> Iterator[Finding]:
    """All that the model knows of a sample passes through a single number.

    ## Why it matters
    One number can order samples, and hardly more: what takes several directions to tell apart cannot be learned.

    ## False alarms
    One number at the end is an answer, and one beside the rest a score; here the next layer gets nothing else.
    """
    order = {one.name: place for place, one in enumerate(layers.layers) if one.kind in MULTIPLYING}
    known = [
        (order[owner], one) for one in weights.layers
        if (owner := one.name.rpartition(".")[0]) in order and one.shape is not None and len(one.shape) == 2
    ]  # fmt: skip
    for (_, one), (_, other) in pairwise(sorted(known, key=lambda pair: pair[0])):
        if one.shape and other.shape and one.shape[0] == 1 < one.shape[1] and other.shape[1] == 1:
            built = {layer.name: layer.where for layer in layers.layers}
            place = built.get(one.name.rpartition(".")[0])
            yield Finding(
                f"{one.name} gives one number, and {other.name} gets nothing else", where=(place,) if place else ()
            )
