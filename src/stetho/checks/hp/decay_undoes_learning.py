from collections.abc import Iterator
from math import hypot
from statistics import median

from stetho.check import Finding, check
from stetho.facts import LayerGradients, LearningRate, LossCurve, Optimizers, WeightStatistics
from stetho.facts.run import OptimizerUse

# Optimizers that add the decay to the gradient, unless they are told not to.
ADDING = ("SGD", "Adam", "NAdam", "RAdam", "Adamax", "RMSprop", "Adagrad", "Adadelta", "ASGD", "Rprop")
# The learned share that is undone by then is two thirds.
SHORT = 300


def run_of(
    name: str, rate: float, decay: float, norm: float, gradient: float, *, momentum: float | None = None,
    steps: int = 500, losses: tuple[float, float] = (1.1, 0.7),
) -> dict[str, object]:  # fmt: skip
    layer = {
        "name": "0.weight", "optimizer": 0, "size": 4096, "norm_first": 5.0, "norm_last": norm, "mean_first": 0.0,
        "mean_last": 0.0, "std_first": 0.1, "std_last": 0.1, "largest_first": 0.2, "largest_last": 0.2,
        "shape": [64, 64],
    }  # fmt: skip
    gradients = {
        "name": "0.weight", "optimizer": 0, "size": 4096, "first": gradient, "last": gradient, "median": gradient,
        "lowest": gradient, "highest": gradient, "samples": 20,
    }  # fmt: skip
    made = {"name": name, "where": None, "steps": steps, "rates": [rate], "momentum": momentum, "decay": decay}
    return {
        "weight-statistics": {"steps": [0, steps - 1], "layers": [layer]},
        "layer-gradients": {"steps": [0, steps - 1], "layers": [gradients]},
        "optimizers": {"optimizers": [made]},
        "loss-curve": {"values": [losses[0]] * 5 + [losses[1]] * 40},
    }


@check(
    reads=(WeightStatistics, LayerGradients, Optimizers, LossCurve),
    also=(LearningRate,),
    root="weight-norms",
    background=0.04,
    given={"none/healthy": 0.03, "other/unlisted": 0.05, "arch/dead-units": 0.10, "arch/vanishing-gradients": 0.10},
    fires={
        "momentum makes it ten times as strong": run_of("SGD", 0.05, 0.05, 3.3, 0.35, momentum=0.9),
        "noise hides how much the gradient holds against it": run_of("SGD", 0.1, 0.05, 2.0, 8.0),
        "added to what Adam divides": run_of("Adam", 1e-3, 0.05, 4.0, 0.3),
        "apart from the gradient": run_of("AdamW", 1e-3, 10.0, 1.5, 0.3),
    },
    quiet={
        "a usual one": run_of("SGD", 0.1, 5e-4, 12.0, 0.5, momentum=0.9),
        "a usual one in Adam": run_of("Adam", 1e-3, 1e-4, 8.0, 0.2),
        "a usual one in AdamW": run_of("AdamW", 1e-3, 0.1, 8.0, 0.2, steps=20000),
        "a high one, over a few steps": run_of("AdamW", 1e-3, 10.0, 4.9, 0.3, steps=60),
        "the gradient has gone because all is learned": run_of("Adam", 1e-3, 1e-3, 8.0, 0.01, losses=(1.1, 0.02)),
        "none": run_of("SGD", 0.1, 0.0, 12.0, 0.5, momentum=0.9),
    },
)
def decay_undoes_learning(
    weights: WeightStatistics,
    gradients: LayerGradients,
    optimizers: Optimizers,
    curve: LossCurve,
    rate: LearningRate | None,
    *,
    share: float = 0.15,
    learned: float = 0.1,
) -> Iterator[Finding]:
    """The weight decay takes back within a few hundred steps what was learned, or pulls about as hard as the loss.

    ## Why it matters
    The weights stay where the loss and the decay hold each other, far from where the loss alone would be low. They need
    not shrink to nothing for that.

    ## False alarms
    In scale-free layers before a normalisation the decay only sets how fast they turn. Where all is learned, the
    gradient is small beside any decay; such runs are not judged. Whether the decay harms, the run without it tells.
    """
    fifth = max(1, len(curve.values) // 5)
    if not curve.values or median(curve.values[-fifth:]) < learned * median(curve.values[:5]):
        return
    for number, one in enumerate(optimizers.optimizers):
        if not one.decay or not one.steps:
            continue
        worn = forgotten(one, rate) if one.name == "SGD" or not adds(one) else None
        pull = pull_beside_loss(weights, gradients, number, one.decay) if adds(one) else None
        short = worn is not None and worn * one.steps >= 2 and worn * SHORT >= 1
        strong = pull is not None and pull >= share and (worn is None or worn * one.steps >= 1)
        if short or strong:
            told = [
                f"takes back what was learned within {1 / worn:.0f} of {one.steps} steps" if worn and short else "",
                f"pulls the weights with {pull:.2g} times the strength of the loss's gradient" if strong else "",
            ]
            yield Finding(
                f"the weight decay of {one.decay:.3g} in {one.name} {' and '.join(t for t in told if t)}",
                where=(one.where,) if one.where is not None else (),
            )


def adds(one: OptimizerUse) -> bool:
    """Whether the decay becomes a part of the gradient."""
    apart = any(s.name == "decoupled_weight_decay" and s.text == "True" for s in one.settings)
    return one.name in ADDING and not apart


def forgotten(one: OptimizerUse, rate: LearningRate | None) -> float:
    """The share of the weights that the decay takes in a step, with what momentum adds to it."""
    known = rate.values if rate is not None and rate.optimizer == one.name and rate.values else one.rates
    usual = median(known) if known else 0.0
    gain = 1 / (1 - one.momentum) if adds(one) and one.momentum and one.momentum < 1 else 1.0
    return usual * (one.decay or 0.0) * gain


def pull_beside_loss(
    weights: WeightStatistics, gradients: LayerGradients, number: int, decay: float, *, smallest: int = 32
) -> float | None:
    """How strong the decay is beside the loss's gradient, over the matrices of an optimizer late in the run."""
    norms = {
        w.name: w.norm_last
        for w in weights.layers
        if w.optimizer == number and (w.size or 0) >= smallest and len(w.shape or ()) > 1 and w.norm_last is not None
    }
    late = {g.name: g.last for g in gradients.layers if g.optimizer == number and g.name in norms and g.last}
    if not late:
        return None
    return decay * hypot(*(norms[name] or 0.0 for name in late)) / hypot(*(g or 0.0 for g in late.values()))
