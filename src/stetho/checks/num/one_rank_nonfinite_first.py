from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import RankLosses

WELL = {"rank": 0, "first": 3.0, "last": 0.5, "last_step": 49}
LATER = {**WELL, "last": "nan", "nonfinite_step": 31}


@check(
    reads=RankLosses,
    root="which rank failed first",
    background=0.03,
    given={"dist/one-rank-nonfinite": 0.95, "data/nonfinite-values": 0.06, "other/unlisted": 0.04},
    fires={
        "one step ahead of the others": {"ranks": [LATER, {**LATER, "rank": 1, "nonfinite_step": 30}]},
        "alone": {"ranks": [WELL, {**LATER, "rank": 1}, {**WELL, "rank": 2}]},
    },
    quiet={
        "all at once": {"ranks": [LATER, {**LATER, "rank": 1}]},
        "all are finite": {"ranks": [WELL, {**WELL, "rank": 1}]},
        "the others had stopped writing before": {"ranks": [{**WELL, "last_step": 20}, {**LATER, "rank": 1}]},
    },
)
def one_rank_nonfinite_first(losses: RankLosses) -> Iterator[Finding]:
    """The loss of one rank becomes NaN or Inf before that of the others.

    ## Why it matters
    Gradients are added up over all ranks: one NaN on one of them is on all of them with the next step. What is wrong is
    on that rank, in its share of the data or on its device.

    ## False alarms
    Ranks that log at different steps: one is only taken for the first when the others were still finite at its step.
    """
    bad = [one for one in losses.ranks if one.nonfinite_step is not None]
    if not bad or len(losses.ranks) < 2:
        return
    first = min(one.nonfinite_step for one in bad if one.nonfinite_step is not None)
    early = [one.rank for one in bad if one.nonfinite_step == first]
    others = [one for one in losses.ranks if one.rank not in early]
    later = [o for o in others if o.last_step >= first]
    if later and len(early) <= len(losses.ranks) / 2:
        steps = sorted({o.nonfinite_step for o in later if o.nonfinite_step is not None})
        rest = f", on the others from step {steps[0]}" if steps else ", on the others not at all"
        who = ", ".join(str(rank) for rank in early[:8])
        yield Finding(f"the loss is NaN or Inf on rank {who} from step {first} on{rest}", step=first)
