from collections.abc import Iterator
from math import isnan
from statistics import median

from stetho.check import Finding, check
from stetho.facts import GradientNorms


@check(
    reads=GradientNorms,
    root="gradient-norms",
    severity=45,
    fires={
        "grows by a factor at each step": {"steps": list(range(60)), "norms": [1.2**i for i in range(60)]},
        "runs up to infinity": {
            "steps": list(range(60)), "norms": [1.0] * 40 + [10.0**i for i in range(1, 20)] + ["inf"],
        },
    },
    quiet={
        "NaN out of a clear sky": {"steps": list(range(60)), "norms": [1.0, 1.5, 0.8] * 15 + ["nan"] * 15},
        "steady": {"steps": list(range(60)), "norms": [1.0, 1.5, 0.8] * 20},
        "one spike": {"steps": list(range(60)), "norms": [1.0] * 30 + [5000.0] + [1.0] * 29},
        "grows tenfold as a loss is learned": {"steps": list(range(60)), "norms": [1.0 + 0.2 * i for i in range(60)]},
        "large at the start only": {"steps": list(range(60)), "norms": [1e6 * 0.5**i for i in range(60)]},
        "from next to nothing": {"steps": list(range(60)), "norms": [1e-6 * 1.2**i for i in range(60)]},
    },
)  # fmt: skip
def gradients_exploding(gradients: GradientNorms, *, factor: float = 1000.0, least: int = 20) -> Iterator[Finding]:
    """The gradient norm climbs by orders of magnitude and stays up.

    ## Why it matters
    Steps follow the gradient; soon they throw the model out of everything that it has learned.

    ## False alarms
    Single spikes recover, and norms may grow several times over as a model gets sharper: only a thousandfold rise
    that lasts to the end counts. NaN is no rise.
    """
    known = [norm for norm in gradients.norms if not isnan(norm)]
    if len(known) < least:
        return
    early, late = median(known[: len(known) // 3]), median(known[-max(3, len(known) // 20) :])
    if late > 10 and early < float("inf") and late > factor * max(early, 1e-3):
        yield Finding(f"the gradient norm rises from {early:.3g} to {late:.3g}", step=gradients.steps[-1])
