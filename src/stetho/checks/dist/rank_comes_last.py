from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Ranks, RankWaiting, StepTimes

FIRST = {"rank": 0, "last": 1, "waited_median": 0.06, "waited_total": 2.4}
LAST = {"rank": 1, "last": 39, "waited_median": 0.0, "waited_total": 0.01}
LATE = {"steps": 40, "spread_median": 0.06, "spread_highest": 0.2, "spread_step": 7, "arrivals": [FIRST, LAST]}
RUN = {"rank": 1, "steps": 40, "loss_first": 3.0, "loss_last": 0.5, "nonfinite_step": None, "step_seconds": 0.08,
       "wait_seconds": 0.05, "memory": None}  # fmt: skip
TIMES = {"first": 0.3, "median": 0.08, "slowest": 0.3, "slowest_step": 0, "total": 3.4}


@check(
    reads=(RankWaiting, StepTimes),
    also=Ranks,
    root="times of the ranks",
    background=0.02,
    given={"dist/straggler": 0.95, "none/healthy": 0.01, "other/unlisted": 0.02, "env/input-bound": 0.03},
    fires={
        "one rank is always last": {"rank-waiting": LATE, "step-times": TIMES},
        "it waits for its loader": {"rank-waiting": LATE, "step-times": TIMES, "ranks": {"ranks": [RUN]}},
    },
    quiet={
        "by turns": {
            "rank-waiting": {**LATE, "arrivals": [{**FIRST, "last": 18}, {**LAST, "last": 22}]}, "step-times": TIMES,
        },
        "ranks that go their own way, further and further apart": {
            "rank-waiting": {**LATE, "spread_early": 0.02, "spread_late": 0.11}, "step-times": TIMES,
        },
        "a moment only": {"rank-waiting": {**LATE, "spread_median": 0.004}, "step-times": TIMES},
        "a little of a long step": {"rank-waiting": LATE, "step-times": {**TIMES, "median": 0.9}},
        "too few steps": {"rank-waiting": {**LATE, "steps": 6, "arrivals": [FIRST, {**LAST, "last": 6}]},
                          "step-times": TIMES},
    },
)  # fmt: skip
def rank_comes_last(
    waiting: RankWaiting,
    times: StepTimes,
    ranks: Ranks | None,
    *,
    share: float = 0.9,
    part: float = 0.33,
    least: float = 0.02,
) -> Iterator[Finding]:
    """One rank comes to nearly every exchange last, and the others wait for it for much of each step.

    ## Why it matters
    Every step takes as long as its slowest rank: what holds that one up slows down the whole run.

    ## False alarms
    A first rank that also logs or evaluates is late in a few steps only; ranks late by turns share a machine. Ranks
    that never meet come further and further apart, and nobody waits.
    """
    last = max(waiting.arrivals, key=lambda one: one.last, default=None)
    if last is None or waiting.steps < 10 or last.last < share * waiting.steps:
        return
    if waiting.spread_median < max(least, part * times.median):
        return
    if not waiting.meet:
        return
    own = next((one.wait_seconds for one in ranks.ranks if one.rank == last.rank), None) if ranks is not None else None
    loads = f"; it waits {own:.3g} s for its own loader" if own and own > 0.5 * waiting.spread_median else ""
    verb = "end" if waiting.after_backward else "begin"
    yield Finding(
        f"rank {last.rank} is the last to {verb} backward in {last.last} of {waiting.steps} steps, and the others wait "
        f"{waiting.spread_median:.3g} s of {times.median:.3g} s in each{loads}",
        step=waiting.spread_step,
    )
