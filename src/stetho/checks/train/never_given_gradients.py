from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LayerGradients, LayerUpdates

LAYER = {"optimizer": 0, "first": 0.5, "last": 0.4, "median": 0.4, "lowest": 0.1, "highest": 0.9, "samples": 12}
NONE = {"first": None, "last": None, "median": None, "lowest": None, "highest": None, "absent": 12}
BODY = {**LAYER, "name": "Net.body.weight", "size": 900}
HEAD = {**LAYER, "name": "Net.head.weight", "size": 100}
STEPS = list(range(12))


def seen(*layers: dict[str, object]) -> dict[str, object]:
    return {"layer-gradients": {"steps": STEPS, "layers": list(layers)}}


def moved(ratio: float) -> dict[str, object]:
    """How far each step moves the body."""
    layer = {
        "name": "Net.body.weight", "optimizer": 0, "size": 900, "first": ratio, "last": ratio, "median": ratio,
        "highest": ratio, "samples": 12,
    }  # fmt: skip
    return {"layer-updates": {"steps": STEPS, "layers": [layer]}}


@check(
    reads=LayerGradients,
    also=LayerUpdates,
    root="layers-without-gradient",
    background=0.04,
    fires={
        "the body": seen({**BODY, **NONE}, HEAD),
        "the body, and it stays as it is": {**seen({**BODY, **NONE}, HEAD), **moved(0.0)},
    },
    quiet={
        "all have one": seen(BODY, HEAD),
        "thawed later on": seen({**BODY, **NONE, "absent": 6}, HEAD),
        "a small head that nothing uses": seen(BODY, {**HEAD, **NONE, "size": 20}),
        "moved by hand, and cleared before anybody looks": {**seen({**BODY, **NONE}, HEAD), **moved(0.01)},
    },
    given={
        # What one of several losses alone trains may be a small head.
        "train/grads-wiped": 0.55,
        "train/graph-broken": 0.93,
        "train/params-frozen": 0.80,
        "none/healthy": 0.03,
    },
)
def never_given_gradients(
    gradients: LayerGradients, updates: LayerUpdates | None, *, share: float = 0.1, least: int = 5
) -> Iterator[Finding]:
    """A large part of what the optimizers hold has no gradient at any step.

    ## Why it matters
    It is not trained: it is frozen, cut off from the loss, used by nothing, or its gradients were cleared.

    ## False alarms
    A backbone that is frozen on purpose and given to the optimizer all the same. Steps that a program makes by hand may
    clear gradients before anybody can look: what moves all the same has had some.
    """
    known = [g for g in gradients.layers if g.size]
    moves = {u.name for u in updates.layers if (u.highest or 0.0) > 0} if updates is not None else set()
    without = [g for g in known if g.absent == g.samples >= least and g.name not in moves]
    total, lost = sum(g.size or 0 for g in known), sum(g.size or 0 for g in without)
    if without and lost >= share * total:
        yield Finding(f"{lost} of {total} elements that the optimizers hold have no gradient at any step")
