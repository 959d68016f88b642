"""Judging a changed run against the base: same, better, worse, symptom gone or a new failure, never by eye.

`ways` has a word for each way of judging, which a change declares in `alters`; the other files are what these share.
"""

from __future__ import annotations

from dataclasses import replace

from stetho.catalogue import Catalogue
from stetho.inquiry import Facts, gravest, judge_all
from stetho.outcome.failures import FAILURES, at_failure
from stetho.outcome.judged import Judged
from stetho.outcome.pair import BEYOND_TRAINING, Pair
from stetho.outcome.ways import WAYS

__all__ = ["FAILURES", "WAYS", "Judged", "judge_outcome"]

# A stretch of late training shows these by nature; it is well as long as it stays where the run was.
OF_A_WHOLE_RUN = ("loss-flat", "loss-slow", "loss-high")
# What is left to see where nothing graver is; by itself it does not keep a graver symptom there.
MILD = "loss-high"


def judge_outcome(
    base: Facts,
    changed: Facts,
    catalogue: Catalogue,
    *,
    symptom: str | None = None,
    applied: bool = True,
    resumed: bool = False,
    alters: str = "",
    smoke: bool = False,
) -> Judged:
    """What a change did to a run, both on the same seed, with noise taken into account.

    `symptom` is what is wrong with the base (judged from its facts when None); `resumed` says that both runs go
    on from a kept state; `alters` is what the change declares to be beyond comparison as it is; a `smoke` asks about
    training alone.
    """
    if not applied:
        return Judged("not-applied", "the change had nothing to act on")
    # A recording may come from a program that knows other words.
    way = WAYS.get(alters, WAYS[""])
    was = gravest(catalogue, judge_all(catalogue, base)) if symptom is None else symptom
    now = gravest(catalogue, judge_all(catalogue, changed))
    if now == MILD and was not in (MILD, "none"):
        # What was wrong is gone; that more could still be learned is another matter.
        now = "none"
    if smoke:
        was, now = ("none" if one in BEYOND_TRAINING else one for one in (was, now))
    pair = way.lay(Pair(base, changed, catalogue, was, now, resumed))
    if resumed and pair.now in OF_A_WHOLE_RUN and not (pair.found is not None and pair.found.worse):
        pair = replace(pair, now="none")
    return at_failure(pair) or way.judge(pair)
