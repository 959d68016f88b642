from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Scores


@check(
    reads=Scores,
    root="scores",
    severity=30,
    fires={
        "the same accuracy in every epoch": {
            "name": "val_acc", "split": "validation", "steps": list(range(12)), "values": [0.1] * 12,
        },
    },
    quiet={
        "rises": {"name": "acc", "split": "", "steps": list(range(12)), "values": [0.1 + 0.05 * i for i in range(12)]},
        "as good as it gets": {"name": "acc", "split": "", "steps": list(range(12)), "values": [1.0] * 12},
        "in percent, as good as it gets": {"name": "acc", "split": "", "steps": list(range(12)), "values": [99.2] * 12},
        "nothing found yet": {"name": "mAP", "split": "", "steps": list(range(4)), "values": [0.0] * 4},
        "hovers": {"name": "acc", "split": "", "steps": list(range(12)), "values": [0.5, 0.51] * 6},
    },
)  # fmt: skip
def metric_stuck(scores: Scores, *, least: int = 8) -> Iterator[Finding]:
    """A score has exactly the same value every time it is measured.

    ## Why it matters
    A model that learns changes some of its answers; one number for ever means that it gives one answer, or that the
    score is not computed from its answers.

    ## False alarms
    A score at its best possible value stays there.
    """
    values = scores.values
    top = 1.0 if max(values, default=0.0) <= 1.0 else 100.0
    if len(values) >= least and len(set(values)) == 1 and values[0] < 0.98 * top:
        yield Finding(f"{scores.name} is {values[0]:.4g} all {len(values)} times it was measured")
