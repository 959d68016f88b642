from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Ranks

WELL = {"rank": 0, "steps": 50, "loss_first": 3.0, "loss_last": 0.5, "nonfinite_step": None, "step_seconds": 0.1,
        "wait_seconds": None, "memory": None}  # fmt: skip


@check(
    reads=Ranks,
    root="which rank failed first",
    background=0.03,
    given={"dist/one-rank-nonfinite": 0.95, "data/nonfinite-values": 0.06, "other/unlisted": 0.04},
    fires={
        "its own loss is lost, the gradients of all are": {
            "ranks": [{**WELL, "nonfinite_step": 30}, {**WELL, "rank": 1, "nonfinite_step": 30, "loss_lost": 30}],
        },
        "a step ahead": {"ranks": [{**WELL, "nonfinite_step": 31}, {**WELL, "rank": 1, "nonfinite_step": 30}]},
    },
    quiet={
        "all at once": {"ranks": [{**WELL, "nonfinite_step": 31}, {**WELL, "rank": 1, "nonfinite_step": 31}]},
        "the losses of all": {
            "ranks": [
                {**WELL, "nonfinite_step": 31, "loss_lost": 31},
                {**WELL, "rank": 1, "nonfinite_step": 31, "loss_lost": 31},
            ],
        },
        "all are finite": {"ranks": [WELL, {**WELL, "rank": 1}]},
        "the others had stopped before": {"ranks": [{**WELL, "steps": 20}, {**WELL, "rank": 1, "nonfinite_step": 30}]},
    },
)  # fmt: skip
def one_rank_ahead(ranks: Ranks) -> Iterator[Finding]:
    """One rank meets NaN or Inf in its loss or gradient before the others do.

    ## Why it matters
    Gradients are added up over all ranks: what is wrong on one of them is on all of them with the next step.

    ## False alarms
    Ranks that took fewer steps say nothing, and are not compared.
    """
    bad = [one.nonfinite_step for one in ranks.ranks if one.nonfinite_step is not None]
    first = min(bad, default=None)
    if first is None:
        return
    early = [one.rank for one in ranks.ranks if one.nonfinite_step == first]
    # Gradients have been added up over all ranks when they are looked at; a loss is a rank's own.
    alone = [one.rank for one in ranks.ranks if one.loss_lost is not None and one.loss_lost <= first]
    if alone:
        early = alone
    later = [one for one in ranks.ranks if one.rank not in early and one.steps > first]
    if later and len(early) <= len(ranks.ranks) / 2:
        yield Finding(
            f"rank {', '.join(map(str, early[:8]))} meets NaN or Inf at step {first}, before the others", step=first
        )
