from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LostRank, Ranks

WELL = {"rank": 0, "steps": 50, "loss_first": 3.0, "loss_last": 0.5, "nonfinite_step": None, "step_seconds": 0.1,
        "wait_seconds": None, "memory": None}  # fmt: skip
RANKS = {"ranks": [{**WELL, "nonfinite_step": 30}, {**WELL, "rank": 1, "nonfinite_step": 30, "loss_lost": 30}]}
LOST = {"rank": 1, "step": 30, "what": "loss", "others": [0], "loss_raised": 1.4, "gradient_raised": 2.0}


@check(
    reads=Ranks,
    also=LostRank,
    root="which rank failed first",
    background=0.03,
    given={
        "dist/one-rank-nonfinite": 0.95,
        # What is wrong with a sample is wrong on the rank that reads it.
        "data/nonfinite-values": 0.50,
        "num/log-of-zero": 0.50,
        "num/sqrt-at-zero": 0.50,
        "num/division-by-zero": 0.50,
        "num/overflow": 0.40,
        "data/labels-all-ignored": 0.40,
        "other/unlisted": 0.05,
    },
    fires={
        "its own loss is lost, the gradients of all are": {"ranks": RANKS, "lost-rank": LOST},
        "its own gradient is": {"ranks": RANKS, "lost-rank": {**LOST, "what": "gradient"}},
    },
    quiet={
        "no rank was alone": {"ranks": {"ranks": [{**WELL, "nonfinite_step": 31}, {**WELL, "rank": 1}]}},
        "all are finite": {"ranks": {"ranks": [WELL, {**WELL, "rank": 1}]}},
        "the first of all that run away": {"ranks": RANKS, "lost-rank": {**LOST, "loss_raised": 4e9}},
        "after gradients that run away": {"ranks": RANKS, "lost-rank": {**LOST, "gradient_raised": 7e6}},
    },
)  # fmt: skip
def one_rank_ahead(ranks: Ranks, lost: LostRank | None) -> Iterator[Finding]:
    """One rank meets NaN or Inf in its own loss or gradient, and all others are lost by adding its gradient to theirs.

    ## Why it matters
    Gradients are added up over all ranks: what is wrong on one of them is on all of them with the next step.

    ## False alarms
    Where losses or gradients have run away on all ranks, one of them is the first to pass what a number can hold; that
    is not counted. Nor is what a rank meets and leaves out of its step.
    """
    if lost is not None and not ran_away(lost):
        yield Finding(
            f"the {lost.what} of rank {lost.rank} is NaN or Inf at step {lost.step}, where that of "
            f"{'rank' if len(lost.others) == 1 else 'ranks'} {', '.join(map(str, lost.others[:8]))} is finite",
            where=(lost.where,) if lost.where is not None else (),
            step=lost.step,
        )


def ran_away(lost: LostRank, *, loss: float = 50.0, gradient: float = 1e4) -> bool:
    """Whether the steps before had losses or gradients far beyond the usual: then all ranks were on their way."""
    return lost.loss_raised > loss or lost.gradient_raised > gradient
