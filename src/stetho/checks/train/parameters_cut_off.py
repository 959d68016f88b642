from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import GraphCuts, WeightStatistics

DETACH = {"kind": "detach", "elements": 900, "inside": True, "names": ["Net.enc.weight"]}
CUT = {"idle": 900, "random": 850, "kept": 0, "reached": 100, "cuts": [DETACH]}
NO_GRAD = [{**DETACH, "kind": "no_grad"}]
LAYER = {
    "name": "Net.enc.weight", "optimizer": 0, "size": 900, "norm_first": 3.0, "norm_last": 3.0, "mean_first": 0.0,
    "mean_last": 0.0, "std_first": 0.1, "std_last": 0.1, "largest_first": 0.2, "largest_last": 0.2,
}  # fmt: skip


@check(
    reads=GraphCuts,
    also=WeightStatistics,
    root="graph-cuts",
    background=0.01,
    fires={
        "behind a detach": {"graph-cuts": CUT},
        "inside no_grad": {"graph-cuts": {**CUT, "cuts": NO_GRAD}},
        "tensors of the program's own behind a detach": {"graph-cuts": {**CUT, "random": 0}},
    },
    quiet={
        "a head that nothing uses": {"graph-cuts": {**CUT, "cuts": []}},
        "every parameter is reached, as with a generator's detach": {
            "graph-cuts": {"idle": 0, "random": 0, "kept": 0, "reached": 1000}
        },
        "a loaded backbone without gradients": {"graph-cuts": {**CUT, "random": 0, "kept": 900, "cuts": NO_GRAD}},
        "a copy that the program itself keeps up to date": {
            "graph-cuts": CUT,
            "weight-statistics": {"steps": [0, 99], "layers": [{**LAYER, "norm_last": 3.4}]},
        },
        "codes given to the model without gradients": {"graph-cuts": {**CUT, "random": 0, "cuts": NO_GRAD}},
        "a bias": {"graph-cuts": {**CUT, "cuts": [{**DETACH, "elements": 4}]}},
    },
)
def parameters_cut_off(found: GraphCuts, weights: WeightStatistics | None, *, share: float = 0.05) -> Iterator[Finding]:
    """Values that depend on parameters in training are taken out of the graph before they come to the loss.

    ## Why it matters
    No gradient comes to these parameters: they keep their random start, and what is built on them learns alone.

    ## False alarms
    Weights that were loaded or trained before, copies that the program itself updates, and parts that nothing is
    computed with are left out; a stop of the gradient that leaves each parameter another way to the loss is, too.
    """
    if 2 * found.kept > found.idle:
        return
    itself = {w.name for w in weights.layers if w.norm_first != w.norm_last} if weights is not None else set()
    for cut in found.cuts:
        sure = cut.kind != "no_grad" or 2 * found.random > found.idle
        if not sure or itself & {*cut.names} or cut.elements < share * (found.reached + found.idle):
            continue
        names = ", ".join(cut.names[:3]) + (" …" if len(cut.names) > 3 else "")
        how = "runs without gradients" if cut.kind == "no_grad" else f".{cut.kind} takes values out of the graph"
        yield Finding(
            f"{how}: {cut.elements} of {found.reached + found.idle} elements in training never come to the loss: "
            f"{names}",
            where=cut.where[:3],
        )
        return
