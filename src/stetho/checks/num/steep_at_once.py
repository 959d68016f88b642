from collections.abc import Iterator
from math import hypot, isfinite

from stetho.check import Finding, check
from stetho.facts import Clipping, GradientNorms, LossCurve, WeightStatistics


def run(gradient: float | str, loss: float | str, weights: float = 8.0, first: int = 0) -> dict[str, object]:
    layer = {
        "name": "Net.rnn.weight_hh_l0", "optimizer": 0, "size": 64, "norm_first": weights, "norm_last": weights,
        "mean_first": 0.0, "mean_last": None, "std_first": 1.0, "std_last": None, "largest_first": 3.0,
        "largest_last": None,
    }  # fmt: skip
    return {
        "gradient-norms": {"steps": [first, first + 1], "norms": [gradient, 1.0]},
        "loss-curve": {"values": [loss, loss], "steps": [first, first + 1]},
        "weight-statistics": {"steps": [first], "layers": [layer]},
    }


@check(
    reads=(GradientNorms, LossCurve, WeightStatistics),
    also=Clipping,
    root="first-gradient",
    # A run that learns all the same has nothing to explain: without a symptom this is not worth an experiment.
    background=0.03,
    # Weights and inputs that are far too large are multiplied from layer to layer as well.
    given={"arch/bad-init": 0.30, "data/inputs-unnormalized": 0.08, "num/overflow": 0.10, "other/unlisted": 0.03},
    fires={"a recurrent network over a hundred steps": run(1100.0, 6.0)},
    quiet={
        "as most networks begin": run(0.7, 2.3),
        "targets of hundreds of thousands": run(6e5, 9e10),
        "inputs of hundreds": run(120.0, 13.0),
        "targets near zero, and a head that begins with zeros": run(0.5, 0.001),
        "not known from the first step on": run(1100.0, 6.0, first=40),
        "a loss around zero": run(1100.0, 0.0),
        "clipped": {
            **run(1100.0, 6.0),
            "clipping": {"calls": 40, "fired": 40, "steps_in_all": 40, "limit_first": 1.0, "limit_last": 1.0},
        },
        "no number": run("nan", "nan"),
    },
)
def steep_at_once(
    gradients: GradientNorms,
    curve: LossCurve,
    weights: WeightStatistics,
    clipping: Clipping | None,
    *,
    steep: float = 150.0,
    large: float = 50.0,
) -> Iterator[Finding]:
    """Before any step, moving the weights by less than a hundredth would cost as much as the whole loss.

    ## Why it matters
    The gradient times the norm of the weights, over the loss, does not depend on the rate or on the unit of the loss.
    It is a few times one in most networks; layers or time steps that each multiply the gradient drive it up.

    ## False alarms
    Weights or inputs that are far too large do the same. A loss that begins near zero has no size to compare with, and
    a gradient that is small by itself, or clipped, throws nothing out: none of these counts.
    """
    if clipping is not None and clipping.fired:
        return
    if not gradients.norms or gradients.steps[0] != 0 or not curve.steps or curve.steps[0] != 0:
        return
    gradient, loss = gradients.norms[0], abs(curve.values[0])
    size = hypot(*(one.norm_first for one in weights.layers if one.norm_first is not None))
    if not (isfinite(gradient) and isfinite(loss) and isfinite(size)) or loss < 1e-3:
        return
    times = gradient * size / loss
    if times > steep and gradient > large:
        yield Finding(
            f"before the first step the gradient's norm is {gradient:.3g} at a loss of {loss:.3g}: moving the weights "
            f"by {1 / times:.1g} of their norm would cost as much as the whole loss",
            step=0,
        )
