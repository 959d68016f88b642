from collections.abc import Iterator, Sequence
from itertools import pairwise

from stetho.check import Finding, check
from stetho.facts import LayerGradient, LayerGradients


def layers(*norms: float, names: Sequence[str] = ()) -> dict[str, object]:
    named = zip(names or [f"layer{number}" for number in range(len(norms))], norms, strict=True)
    return {
        "steps": [0, 10, 20],
        "layers": [
            {
                "name": name, "optimizer": 0, "size": None, "first": norm, "last": norm, "median": norm,
                "lowest": norm, "highest": norm, "samples": 3,
            }
            for name, norm in named
        ],
    }  # fmt: skip


# The part of the fall, in orders of magnitude, that a single layer may account for.
ONE_LAYER = 0.6
PARTS = [f"net.{number}.{part}" for number in range(8) for part in ("weight", "bias")]
WITH_BIASES = [norm for i in range(7, -1, -1) for norm in (0.3 / 6**i, 0.06 / 6**i)]


@check(
    reads=LayerGradients,
    root="layer-gradients",
    severity=38,
    fires={
        "weights and biases, which are smaller": layers(*WITH_BIASES, names=PARTS),
        "a factor of twenty from layer to layer": layers(*(0.3 / 20**i for i in range(8, -1, -1))),
        "four layers of twelve": layers(3e-10, 8e-8, 2e-5, 7e-3, 0.3),
    },
    quiet={
        "alike": layers(0.2, 0.3, 0.25, 0.4, 0.3),
        "biases before a normalisation, and the last one": layers(2e-9, 3e-9, 5e-9, 8e-9, 0.3),
        "two orders of magnitude": layers(0.003, 0.01, 0.05, 0.2, 0.3),
        "one layer that gets nothing": layers(0.2, 1e-9, 0.25, 0.4, 0.3),
        "no gradient yet, as before a zero weight": layers(0.0, 0.0, 0.0, 0.4, 0.3),
        "the last ones are small": layers(0.3, 0.05, 0.01, 1e-4, 1e-7),
    },
)
def gradients_vanishing(gradients: LayerGradients, *, factor: float = 1e5) -> Iterator[Finding]:
    """The gradient shrinks from layer to layer until the first ones get next to nothing.

    ## Why it matters
    The first layers keep the values that they began with; the rest learns on features that are random.

    ## False alarms
    Norms within a few orders of magnitude of each other are usual, and exact zeros are another matter: the fall must
    run through the layers, and be a hundred thousandfold.
    """
    known = vanishing(gradients.layers, factor)
    if known:
        first, last = known[0], known[-1]
        yield Finding(
            f"the gradient norm of {first.name} is {first.median:.2g} in the median, that of {last.name} "
            f"{last.median:.2g}, with the layers between in order"
        )


def vanishing(layers: Sequence[LayerGradient], factor: float) -> list[LayerGradient]:
    """The layers with a gradient, where it rises by such a factor from the first to the last and hardly ever falls; of
    what each layer holds, weights are compared with weights and biases with biases, whose gradients differ in size."""
    kinds = dict.fromkeys(kind_of(one.name) for one in layers)
    found = [rising([one for one in layers if kind_of(one.name) == kind], factor) for kind in kinds]
    return max((rising(layers, factor), *found), key=len, default=[])


def kind_of(name: str) -> str:
    """What of a layer a parameter is, by the end of its name, such as weight or bias."""
    return name.replace("/", ".").rpartition(".")[2]


def rising(layers: Sequence[LayerGradient], factor: float) -> list[LayerGradient]:
    """The layers with a gradient, if it rises like that."""
    known = [one for one in layers if one.median and one.zero < 0.1 * max(1, one.samples)]
    norms = [one.median or 0.0 for one in known]
    if len(norms) < 4 or norms[-1] < factor * norms[0]:
        return []
    # Biases before a normalisation have next to no gradient, wherever they are: no layer takes it away.
    if max(b / a for a, b in pairwise(norms)) > (norms[-1] / norms[0]) ** ONE_LAYER:
        return []
    pairs = [(a, b) for i, a in enumerate(norms) for b in norms[i + 1 :]]
    return known if sum(a < b for a, b in pairs) >= 0.9 * len(pairs) else []
