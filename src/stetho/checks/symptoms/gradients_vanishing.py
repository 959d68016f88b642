from collections.abc import Iterator, Sequence

from stetho.check import Finding, check
from stetho.facts import LayerGradient, LayerGradients


def layers(*norms: float) -> dict[str, object]:
    return {
        "steps": [0, 10, 20],
        "layers": [
            {
                "name": f"layer{number}", "optimizer": 0, "size": None, "first": norm, "last": norm, "median": norm,
                "lowest": norm, "highest": norm, "samples": 3,
            }
            for number, norm in enumerate(norms)
        ],
    }  # fmt: skip


@check(
    reads=LayerGradients,
    root="layer-gradients",
    severity=38,
    fires={
        "a factor of twenty from layer to layer": layers(*(0.3 / 20**i for i in range(8, -1, -1))),
        "four layers of twelve": layers(3e-10, 8e-8, 2e-5, 7e-3, 0.3),
    },
    quiet={
        "alike": layers(0.2, 0.3, 0.25, 0.4, 0.3),
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
    """The layers with a gradient, where it rises by such a factor from the first to the last and hardly ever falls."""
    known = [one for one in layers if one.median and one.zero < 0.1 * max(1, one.samples)]
    norms = [one.median or 0.0 for one in known]
    if len(norms) < 4 or norms[-1] < factor * norms[0]:
        return []
    pairs = [(a, b) for i, a in enumerate(norms) for b in norms[i + 1 :]]
    return known if sum(a < b for a, b in pairs) >= 0.9 * len(pairs) else []
