from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.arch.units_alike import weight
from stetho.evidence import Place
from stetho.facts import Activations, LayerActivations, WeightStatistics


def relu(name: str, first: float, last: float, samples: int = 6) -> dict[str, object]:
    return {
        "name": name, "kind": "ReLU", "where": {"file": "net.py", "line": 9}, "samples": samples, "mean_first": 0.1,
        "mean_last": 0.1, "std_first": 0.2, "std_last": 0.2, "dead_first": first, "dead_last": last,
    }  # fmt: skip


def run(*layers: dict[str, object]) -> dict[str, object]:
    return {"activations": {"steps": [0, 1, 50], "layers": list(layers)}}


@check(
    reads=Activations,
    also=WeightStatistics,
    root="dead-units",
    background=0.01,
    given={"other/unlisted": 0.02, "hp/lr-too-high": 0.15, "hp/no-warmup": 0.10, "data/inputs-unnormalized": 0.04},
    fires={
        "all of them from the start": run(relu("Net.1", 1.0, 1.0), relu("Net.3", 1.0, 1.0)),
        "one layer died on the way": run(relu("Net.1", 0.1, 0.2), relu("Net.3", 0.2, 1.0)),
    },
    quiet={
        "half of a wide layer": run(relu("Net.1", 0.3, 0.5)),
        "batches of one sample": run(relu("Net.1", 0.5, 0.75)),
        "only on the first step": run(relu("Net.1", 0.97, 0.2)),
        "seen once": run(relu("Net.1", 1.0, 1.0, samples=1)),
        "weights that are all zero": {
            **run(relu("Net.1", 1.0, 1.0)),
            "weight-statistics": {"steps": [0, 50], "layers": [weight("Net.0.weight", (8, 3), True, True, 0.0)]},
        },
    },
)
def units_dead(
    layers: Activations, weights: WeightStatistics | None, *, share: float = 0.95, least: int = 3
) -> Iterator[Finding]:
    """Nearly all units of a rectified layer give zero for every sample of a batch.

    ## Why it matters
    A ReLU that never fires passes no gradient back: neither it nor anything below it can learn its way out.

    ## False alarms
    Sparse layers have many units that rest for a batch, the more so with small batches; here hardly one is awake. Units
    whose weights are all the same, or zero, are `units-alike`.
    """
    if weights is not None and any(w.alike_first and (w.shape or (0,))[0] > 1 for w in weights.layers):
        return
    dead = [one for one in layers.layers if (one.dead_last or 0.0) >= share and one.samples >= least]
    if dead:
        first = dead[0]
        since = "from the first step on" if (first.dead_first or 0.0) >= share else f"by step {layers.steps[-1]}"
        yield Finding(
            f"{first.dead_last:.0%} of the units of {first.name} are 0 for the whole batch, {since}; "
            f"{len(dead)} such {'layer' if len(dead) == 1 else 'layers'}",
            where=tuple(dict.fromkeys((*begun_before(layers, dead[0], weights), *(d.where for d in dead if d.where)))),
        )


def begun_before(layers: Activations, dead: LayerActivations, weights: WeightStatistics | None) -> Iterator[Place]:
    """The lines that gave their values to weights of the layer in front of one that is dead from the start."""
    before = layers.layers[: layers.layers.index(dead)]
    if weights is None or not before or not dead.dead_first or dead.dead_first < 0.5:
        return
    for one in weights.layers:
        if one.name.rpartition(".")[0] == before[-1].name and one.begun_at not in (None, before[-1].where):
            assert one.begun_at is not None
            yield one.begun_at
