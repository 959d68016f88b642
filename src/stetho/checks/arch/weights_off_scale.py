import math
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.arch.units_alike import begun_at
from stetho.facts import Activations, LayerWeights, WeightStatistics

# Layers that multiply with their weights; a table of embeddings does not.
MULTIPLYING = ("Linear", "Conv1d", "Conv2d", "Conv3d", "NonDynamicallyQuantizableLinear")
# The size that torch's layers give their weights, times the root of their inputs.
USUAL = 1 / math.sqrt(3)


def weight(name: str, shape: tuple[int, ...], size: float) -> dict[str, object]:
    return {
        "name": name, "optimizer": 0, "size": math.prod(shape), "norm_first": size * math.sqrt(math.prod(shape)),
        "norm_last": None, "mean_first": 0.0, "mean_last": None, "std_first": size, "std_last": None,
        "largest_first": 3 * size, "largest_last": None, "shape": shape, "alike_first": False, "alike_last": False,
    }  # fmt: skip


def layer(name: str, kind: str = "Linear", spread: float = 1.0) -> dict[str, object]:
    return {
        "name": name, "kind": kind, "where": {"file": "net.py", "line": 9}, "samples": 5, "mean_first": 0.0,
        "mean_last": 0.0, "std_first": spread, "std_last": spread,
    }  # fmt: skip


def run(weights: list[dict[str, object]], layers: list[dict[str, object]]) -> dict[str, object]:
    return {
        "weight-statistics": {"steps": [0, 50], "layers": weights},
        "activations": {"steps": [0, 50], "layers": layers},
    }


@check(
    reads=(WeightStatistics, Activations),
    root="initial-weights",
    background=0.015,
    given={"other/unlisted": 0.03},
    fires={
        "a standard normal in front of sixty inputs": run(
            [weight("Net.a.weight", (64, 60), 1.0), weight("Net.b.weight", (3, 64), 1.0)],
            [layer("Net.a", spread=8), layer("Net.relu", "ReLU", 5), layer("Net.b", spread=40)],
        ),
        "a thousandth of the usual": run(
            [weight("Net.a.weight", (64, 60), 1e-4), weight("Net.b.weight", (3, 64), 1e-4)],
            [layer("Net.a", spread=1e-3), layer("Net.b", spread=1e-5)],
        ),
    },
    quiet={
        "as torch makes them": run([weight("Net.a.weight", (64, 60), 0.075)], [layer("Net.a")]),
        "a table of embeddings": run([weight("Net.e.weight", (500, 64), 1.0)], [layer("Net.e", "Embedding")]),
        "normalised right after": run(
            [weight("Net.a.weight", (64, 60), 1.0)], [layer("Net.a", spread=8), layer("Net.n", "BatchNorm1d")]
        ),
        "small ones of a transformer": run(
            [weight("Net.a.weight", (64, 32), 0.02), weight("Net.b.weight", (64, 64), 0.01)],
            [layer("Net.a"), layer("Net.b")],
        ),
        "one small head behind usual layers": run(
            [weight("Net.a.weight", (64, 60), 0.075), weight("Net.b.weight", (3, 64), 1e-4)],
            [layer("Net.a"), layer("Net.b", spread=1e-3)],
        ),
    },
)
def weights_off_scale(
    weights: WeightStatistics, layers: Activations, *, large: float = 3.5, small: float = USUAL / 40
) -> Iterator[Finding]:
    """Layers begin with weights many times larger or smaller than their number of inputs asks for.

    ## Why it matters
    Each layer multiplies the signal by about the size of its weights times the root of its inputs. Far above one it
    explodes or saturates from layer to layer, far below it dies out, and the gradient with it.

    ## False alarms
    Behind a normalisation the scale does not matter, tables of embeddings do not multiply, and one small last layer is
    a usual way to begin.
    """
    normed = followed_by_norm(layers)
    kinds = {one.name: one.kind for one in layers.layers}
    known = {}
    for one in weights.layers:
        owner = one.name.rpartition(".")[0]
        gain = gain_of(one)
        if kinds.get(owner) in MULTIPLYING and owner not in normed and gain is not None:
            known[one.name] = gain
    if not known or not math.isfinite(max(known.values())):
        return
    over = {name: gain for name, gain in known.items() if gain > large}
    under = {name: gain for name, gain in known.items() if gain < small}
    spreads = {one.name: one.std_first or 0.0 for one in layers.layers}
    if len(over) * 2 >= len(known) and max(spreads[name.rpartition(".")[0]] for name in over) > large:
        worst = max(over, key=lambda name: over[name])
        yield Finding(
            f"{len(over)} of {len(known)} layers begin with weights that multiply their input, {worst} about "
            f"{over[worst]:.3g} times; usual is about one",
            where=begun_at([w for w in weights.layers if w.name in over], layers),
        )
    elif len(under) * 2 >= len(known) and len(under) > 1:
        worst = min(under, key=lambda name: under[name])
        yield Finding(
            f"{len(under)} of {len(known)} layers begin with weights that leave next to nothing of their input, "
            f"{worst} about {under[worst]:.2g} of it; usual is about one",
            where=begun_at([w for w in weights.layers if w.name in under], layers),
        )


def gain_of(one: LayerWeights) -> float | None:
    """By about how much a layer with these weights multiplies what goes through it."""
    if one.shape is None or len(one.shape) < 2 or one.norm_first is None or not one.size:
        return None
    return one.norm_first / math.sqrt(one.size) * math.sqrt(math.prod(one.shape[1:]))


def followed_by_norm(layers: Activations) -> set[str]:
    """Layers whose output is normalised by the next one that runs, or the next but an activation."""
    found = set()
    for place, one in enumerate(layers.layers):
        if any("Norm" in other.kind for other in layers.layers[place + 1 : place + 3]):
            found.add(one.name)
    return found
