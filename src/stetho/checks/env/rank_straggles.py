from collections.abc import Iterator
from statistics import median

from stetho.check import Finding, check
from stetho.facts import RankTimes


def _times(part: str, seconds: list[float]) -> list[dict[str, object]]:
    return [
        {"rank": rank, "name": part, "part": part, "seconds": took, "points": 200} for rank, took in enumerate(seconds)
    ]


@check(
    reads=RankTimes,
    root="times of the ranks",
    background=0.02,
    given={"dist/straggler": 0.95, "none/healthy": 0.01, "other/unlisted": 0.02},
    fires={
        "one computes four times as long": {"times": _times("compute", [0.4, 0.4, 1.9, 0.4])},
        "one loads longer, the others wait for it": {
            "times": [*_times("data", [0.1, 0.9]), *_times("peer", [0.8, 0.01])]
        },
    },
    quiet={
        "all alike": {"times": _times("compute", [0.4, 0.41, 0.39, 0.42])},
        "whole steps are alike by nature": {"times": _times("step", [1.9, 1.9, 1.9, 1.9])},
        "half of them are slow": {"times": _times("compute", [0.4, 1.9, 0.4, 1.9])},
        "it does not cost anything": {"times": [*_times("data", [0.001, 0.004]), *_times("step", [1.0, 1.0])]},
    },
)
def rank_straggles(found: RankTimes, *, factor: float = 1.5) -> Iterator[Finding]:
    """One rank takes far longer for its part of a step than all others, which wait for it.

    ## Why it matters
    Every step takes as long as its slowest rank: one bad device, disk or neighbour slows down the whole run.

    ## False alarms
    Work that is not shared out evenly on purpose, as in a pipeline, or a first rank that also evaluates.
    """
    worst = found.slowest()
    if worst is None or worst[1] < factor:
        return
    rank, _, others = worst
    waits = [one.seconds for one in found.times if one.part == "peer" and one.rank != rank.rank]
    told = f"; the others wait {median(waits):.3g} s" if waits else ""
    yield Finding(f"rank {rank.rank} takes {rank.seconds:.3g} s for {rank.name}, the others {others:.3g} s{told}")
