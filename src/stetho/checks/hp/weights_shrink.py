from collections.abc import Iterator
from math import hypot

from stetho.check import Finding, check
from stetho.facts import Optimizers, WeightStatistics

DECAYS = {"optimizers": [{"name": "Adam", "where": {"file": "train.py", "line": 9}, "steps": 360, "decay": 0.5}]}


def weights(*ends: tuple[float, float], size: int = 4096) -> dict[str, object]:
    layers = [
        {"name": f"{i}.weight", "optimizer": 0, "size": size, "norm_first": a, "norm_last": b, "mean_first": 0.0,
         "mean_last": 0.0, "std_first": 0.1, "std_last": 0.1, "largest_first": 0.2, "largest_last": 0.2}
        for i, (a, b) in enumerate(ends)
    ]  # fmt: skip
    return {"steps": [0, 359], "layers": layers}


@check(
    reads=(WeightStatistics, Optimizers),
    root="weight-norms",
    background=0.02,
    given={"other/unlisted": 0.03},
    fires={
        "to nothing": {"weight-statistics": weights((4.6, 1e-6), (3.0, 2e-6)), "optimizers": DECAYS},
        "to a tenth": {"weight-statistics": weights((4.6, 0.4), (3.0, 0.5)), "optimizers": DECAYS},
    },
    quiet={
        "they grow": {"weight-statistics": weights((4.6, 6.0), (3.0, 3.5)), "optimizers": DECAYS},
        "one of two layers": {"weight-statistics": weights((4.6, 0.3), (3.0, 4.5)), "optimizers": DECAYS},
        "to a half, held there by the data": {"weight-statistics": weights((4.6, 2.4)), "optimizers": DECAYS},
        "nothing decays": {
            "weight-statistics": weights((4.6, 0.4)),
            "optimizers": {"optimizers": [{"name": "SGD", "where": None, "steps": 360, "decay": 0.0}]},
        },
        "a few numbers only": {"weight-statistics": weights((4.6, 0.4), size=8), "optimizers": DECAYS},
    },
)
def weights_shrink(
    weights: WeightStatistics, optimizers: Optimizers, *, left: float = 0.3, smallest: int = 32
) -> Iterator[Finding]:
    """The weights lose most of their norm over the run, under an optimizer that decays them.

    ## Why it matters
    What the data teaches is pulled away faster than it is learned; at the end hardly anything is left of the model.

    ## False alarms
    A start from weights that are far too large shrinks, too, and learns by it: there it helps nothing to end the decay.
    """
    decaying = {i: one for i, one in enumerate(optimizers.optimizers) if one.decay}
    mine = [w for w in weights.layers if w.optimizer in decaying and (w.size or 0) >= smallest]
    known = [(w.norm_first, w.norm_last) for w in mine if w.norm_first is not None and w.norm_last is not None]
    first, last = hypot(*(a for a, _ in known)), hypot(*(b for _, b in known))
    if first > 0 and last < left * first:
        one = next(iter(decaying.values()))
        yield Finding(
            f"the norm of the weights goes from {first:.3g} to {last:.3g} under {one.name} with a weight decay of "
            f"{one.decay:.3g}",
            where=(one.where,) if one.where is not None else (),
        )
