from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LayerGradients

LAYER = {"optimizer": 0, "first": 0.5, "last": 0.4, "median": 0.4, "lowest": 0.1, "highest": 0.9, "samples": 12}
NONE = {"first": None, "last": None, "median": None, "lowest": None, "highest": None, "absent": 12}
BODY = {**LAYER, "name": "Net.body.weight", "size": 900}
HEAD = {**LAYER, "name": "Net.head.weight", "size": 100}
STEPS = list(range(12))


@check(
    reads=LayerGradients,
    root="layers-without-gradient",
    background=0.04,
    fires={"the body": {"steps": STEPS, "layers": [{**BODY, **NONE}, HEAD]}},
    quiet={
        "all have one": {"steps": STEPS, "layers": [BODY, HEAD]},
        "thawed later on": {"steps": STEPS, "layers": [{**BODY, **NONE, "absent": 6}, HEAD]},
        "a small head that nothing uses": {"steps": STEPS, "layers": [BODY, {**HEAD, **NONE, "size": 20}]},
    },
    given={
        "train/grads-wiped": 0.75,
        "train/graph-broken": 0.93,
        "train/params-frozen": 0.80,
        "none/healthy": 0.03,
    },
)
def never_given_gradients(gradients: LayerGradients, *, share: float = 0.1, least: int = 5) -> Iterator[Finding]:
    """A large part of what the optimizers hold has no gradient at any step.

    ## Why it matters
    It is not trained: it is frozen, cut off from the loss, used by nothing, or its gradients were cleared.

    ## False alarms
    A backbone that is frozen on purpose and given to the optimizer all the same.
    """
    known = [g for g in gradients.layers if g.size]
    without = [g for g in known if g.absent == g.samples >= least]
    total, lost = sum(g.size or 0 for g in known), sum(g.size or 0 for g in without)
    if without and lost >= share * total:
        yield Finding(f"{lost} of {total} elements that the optimizers hold have no gradient at any step")
