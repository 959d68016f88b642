from collections import Counter
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.symptoms.gradients_vanishing import layers, vanishing
from stetho.evidence import Place
from stetho.facts import Activations, LayerGradients


@check(
    reads=LayerGradients,
    also=Activations,
    root="layer-gradients",
    given={"other/unlisted": 0.03},
    fires={
        "a factor of twenty from layer to layer": {"layer-gradients": layers(*(0.3 / 20**i for i in range(8, -1, -1)))}
    },
    quiet={
        "alike": {"layer-gradients": layers(0.2, 0.3, 0.25, 0.4, 0.3)},
        "one layer that gets nothing": {"layer-gradients": layers(0.2, 1e-9, 0.25, 0.4, 0.3)},
        "two orders of magnitude": {"layer-gradients": layers(0.003, 0.01, 0.05, 0.2, 0.3)},
    },
)
def early_layers_starved(
    gradients: LayerGradients, outputs: Activations | None, *, factor: float = 1e5
) -> Iterator[Finding]:
    """Each layer hands on only a part of the gradient, so that next to nothing reaches the first ones.

    ## Why it matters
    Saturated activations and small weights multiply; through many layers without skips, the product vanishes.

    ## False alarms
    A frozen or unused first layer has no gradient at all; here every layer has one, and it shrinks in their order.
    """
    known = vanishing(gradients.layers, factor)
    if known:
        ratio = ((known[-1].median or 0.0) / (known[0].median or 1.0)) ** (1 / (len(known) - 1))
        yield Finding(
            f"from {known[-1].name} back to {known[0].name} the gradient shrinks about {ratio:.3g} times with each of "
            f"{len(known)} logged layers",
            where=activated_at(outputs),
        )


def activated_at(outputs: Activations | None) -> tuple[Place, ...]:
    """The lines of the activations that most layers go through, those that saturate first."""
    rows = [one for one in outputs.layers if one.where is not None] if outputs is not None else []
    found: Counter[Place] = Counter()
    for one in rows:
        if one.where is not None and (one.saturated_first is not None or one.dead_first is not None):
            found[one.where] += 2 if one.saturated_first is not None else 1
    return tuple(place for place, _ in found.most_common(2))
