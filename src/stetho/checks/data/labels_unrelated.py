from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Association


@check(
    reads=Association,
    root="input-label-association",
    background=0.12,
    fires={
        "neighbours agree no more than strangers": {
            "samples": 1500, "agreement": 0.102, "expected": 0.1, "error": 0.004,
        }
    },
    quiet={
        "neighbours agree": {"samples": 1500, "agreement": 0.64, "expected": 0.1, "error": 0.008},
        "a weak but certain relation": {"samples": 1500, "agreement": 0.16, "expected": 0.1, "error": 0.006},
        "too few samples": {"samples": 120, "agreement": 0.11, "expected": 0.1, "error": 0.02},
    },
)  # fmt: skip
def labels_unrelated(pairs: Association, *, least: int = 200, sigmas: float = 3.0) -> Iterator[Finding]:
    """Inputs that are close to each other do not share their labels more often than random pairs do.

    ## Why it matters
    Labels that belong to their inputs almost always repeat among near neighbours.

    ## False alarms
    Tasks in which closeness in raw numbers means nothing, such as parity, or labels that are noise by nature.
    """
    if unrelated(pairs, least=least, sigmas=sigmas):
        yield Finding(
            f"nearest neighbours among {pairs.samples} inputs share the label {pairs.agreement:.3f} of the time, "
            f"random pairs {pairs.expected:.3f}"
        )


def unrelated(pairs: Association, *, least: int = 200, sigmas: float = 3.0) -> bool:
    """Whether neighbours agree no more than strangers do, on samples enough to tell."""
    return pairs.samples >= least and pairs.agreement - pairs.expected < max(sigmas * pairs.error, 0.02)
