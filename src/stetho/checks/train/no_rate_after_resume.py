from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LearningRate, Resumed

NOTHING = {"optimizer": "Adam", "steps": [0, 20, 40, 60, 80], "values": [0.0] * 5, "initial": 0.0}
LOADED = {
    "what": "optimizer", "name": "Adam", "keys": 12, "missing": [], "unexpected": [], "strict": None,
    "where": {"file": "train.py", "line": 9}, "step": 0,
}  # fmt: skip


@check(
    reads=(LearningRate, Resumed),
    root="saved-state",
    background=0.005,
    given={"other/unlisted": 0.02, "train/lr-collapsed": 0.02},
    fires={"taken up where a schedule had ended": {"learning-rate": NOTHING, "resumed": {"loads": [LOADED]}}},
    quiet={
        "begins low and rises": {
            "learning-rate": {**NOTHING, "values": [0.0, 1e-4, 2e-4, 3e-4, 4e-4]}, "resumed": {"loads": [LOADED]},
        },
        "only weights were loaded": {"learning-rate": NOTHING, "resumed": {"loads": [{**LOADED, "what": "model"}]}},
    },
)  # fmt: skip
def no_rate_after_resume(rate: LearningRate, found: Resumed) -> Iterator[Finding]:
    """The state of an optimizer or a schedule was loaded, and from then on every step is taken at a rate of zero.

    ## Why it matters
    A schedule that had come to its end is restored with that end: the run goes on, and nothing changes any more.

    ## False alarms
    None known; a run of this kind trains nothing.
    """
    loads = [load for load in found.loads if load.what in ("optimizer", "scheduler")]
    if loads and nothing(rate):
        yield Finding(
            f"the rate is 0 at every step after the state of {loads[-1].name} was loaded",
            where=tuple(dict.fromkeys(load.where for load in loads if load.where is not None)),
        )


def nothing(rate: LearningRate) -> bool:
    """Whether no group has a rate at any step on record."""
    return len(rate.values) >= 3 and not any(rate.values) and not any(group.highest for group in rate.groups)
