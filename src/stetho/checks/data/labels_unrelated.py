import math
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Association, Reach

STRANGERS = {"samples": 1500, "agreement": 0.102, "expected": 0.1, "error": 0.004}
NUMBERS = {"samples": 1500, "agreement": 0.04, "expected": 0.0, "error": 0.02}
FAINT = {
    "measure": "explained variance", "reached": 0.05, "answers": 400, "simple": 0.045, "linear": 0.045,
    "samples": 1500, "model": "linear regression",
}  # fmt: skip


@check(
    reads=Association,
    also=Reach,
    root="input-label-association",
    background=0.12,
    fires={
        "neighbours agree no more than strangers": {"input-label-association": STRANGERS},
        "and no model finds anything": {
            "input-label-association": STRANGERS,
            "reach": {**FAINT, "measure": "accuracy", "simple": 0.13, "linear": 0.12, "by_lot": 0.11},
        },
    },
    quiet={
        "neighbours agree": {"input-label-association": {**STRANGERS, "agreement": 0.64, "error": 0.008}},
        "a weak but certain relation": {
            "input-label-association": {**STRANGERS, "agreement": 0.16, "error": 0.006}
        },
        "too few samples": {
            "input-label-association": {**STRANGERS, "samples": 120, "agreement": 0.11, "error": 0.02}
        },
        "a faint signal that a linear model finds": {"input-label-association": NUMBERS, "reach": FAINT},
    },
)  # fmt: skip
def labels_unrelated(
    pairs: Association, reach: Reach | None, *, least: int = 200, sigmas: float = 3.0
) -> Iterator[Finding]:
    """Inputs that are close to each other do not share their labels more often than random pairs do.

    ## Why it matters
    Labels that belong to their inputs almost always repeat among near neighbours.

    ## False alarms
    Tasks in which closeness in raw numbers means nothing, such as parity, or labels that are noise by nature. A faint
    relation that a linear model finds is one.
    """
    if unrelated(pairs, least=least, sigmas=sigmas) and not found(reach):
        yield Finding(
            f"nearest neighbours among {pairs.samples} inputs share the label {pairs.agreement:.3f} of the time, "
            f"random pairs {pairs.expected:.3f}"
        )


def unrelated(pairs: Association, *, least: int = 200, sigmas: float = 3.0) -> bool:
    """Whether neighbours agree no more than strangers do, on samples enough to tell."""
    return pairs.samples >= least and pairs.agreement - pairs.expected < max(sigmas * pairs.error, 0.02)


def found(reach: Reach | None, *, sigmas: float = 4.0) -> bool:
    """Whether a simple model tells the labels better than without a look at the inputs."""
    if reach is None:
        return False
    error = math.sqrt(max(reach.by_lot * (1 - reach.by_lot), 0.0) / max(1, reach.samples))
    return reach.simple - reach.by_lot > max(0.02, sigmas * error)
