from collections.abc import Iterator, Sequence

from stetho.check import Finding, check
from stetho.evidence import Place
from stetho.facts import Activations, LayerGradients, LayerWeights, WeightStatistics


def weight(
    name: str, shape: tuple[int, ...], first: bool | None, last: bool | None, size: float = 0.1
) -> dict[str, object]:
    return {
        "name": name, "optimizer": 0, "size": 64, "norm_first": 8 * size, "norm_last": 8 * size, "mean_first": 0.0,
        "mean_last": 0.0, "std_first": size, "std_last": size, "largest_first": size, "largest_last": size,
        "shape": shape, "alike_first": first, "alike_last": last,
    }  # fmt: skip


def gradient(name: str, absent: int = 0) -> dict[str, object]:
    return {
        "name": name, "optimizer": 0, "size": 64, "first": 0.1, "last": 0.1, "median": 0.1, "lowest": 0.1,
        "highest": 0.1, "samples": 12, "absent": absent,
    }  # fmt: skip


def run(*layers: dict[str, object], steps: int = 60, absent: int = 0) -> dict[str, object]:
    gradients = [gradient(str(one["name"]), absent) for one in layers]
    return {
        "weight-statistics": {"steps": [0, steps], "layers": list(layers)},
        "layer-gradients": {"steps": [0, steps], "layers": gradients},
    }


@check(
    reads=(WeightStatistics, LayerGradients),
    also=Activations,
    root="initial-weights",
    background=0.01,
    given={"other/unlisted": 0.02},
    fires={
        "a hidden layer of copies": run(
            weight("Net.fc1.weight", (8, 3), True, True), weight("Net.fc2.weight", (2, 8), False, False)
        ),
        "copies all through": run(weight("a.weight", (16, 4), True, True), weight("b.weight", (16, 16), True, True)),
    },
    quiet={
        "drawn at random": run(weight("Net.fc1.weight", (8, 3), False, False)),
        "a last layer that began at zero": run(
            weight("Net.fc1.weight", (8, 3), False, False), weight("Net.head.weight", (5, 8), True, False)
        ),
        "a single unit": run(weight("Net.fc1.weight", (1, 3), None, None)),
        "an adapter that has just begun": run(weight("lora.B", (8, 4), True, True), steps=3),
        "a table that nothing uses": run(weight("Net.unused.weight", (8, 4), True, True), absent=12),
    },
)  # fmt: skip
def units_alike(
    weights: WeightStatistics, gradients: LayerGradients, layers: Activations | None, *, steps: int = 8
) -> Iterator[Finding]:
    """All units of a layer have the same weights at the start, and still have after many steps.

    ## Why it matters
    Units that begin alike get the same gradient and stay alike: the layer is worth one unit, or none when all are zero.

    ## False alarms
    A layer that begins at zero on purpose, as at the end of a residual branch, comes apart with its first steps. What
    gets no gradient is not trained.
    """
    if not weights.steps or weights.steps[-1] < steps:
        return
    untrained = {(g.optimizer, g.name) for g in gradients.layers if g.absent >= g.samples}
    alike = [
        w for w in weights.layers
        if w.alike_first and w.alike_last and (w.shape or (0,))[0] > 1 and (w.optimizer, w.name) not in untrained
    ]  # fmt: skip
    if alike:
        names = ", ".join(w.name for w in alike[:3])
        value = "zero" if not any(w.largest_last for w in alike) else "the same"
        yield Finding(
            f"all units of {names} begin with {value} weights, and after step {weights.steps[-1]} they still are "
            f"copies of each other",
            where=begun_at(alike, layers),
        )


def begun_at(weights: Sequence[LayerWeights], layers: Activations | None) -> tuple[Place, ...]:
    """The lines that gave these weights their values, then those that built their layers."""
    known = {one.name: one.where for one in layers.layers if one.where} if layers is not None else {}
    found = [*(one.begun_at for one in weights), *(known.get(one.name.rpartition(".")[0]) for one in weights)]
    return tuple(dict.fromkeys(place for place in found if place is not None))[:4]
