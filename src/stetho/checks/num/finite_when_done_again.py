from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LostRank, Ranks, Unlocalised

# What the replay says where a step, done again, has nothing wrong in it.
FINITE = "the replay of the step gives finite numbers only"
WELL = {"rank": 0, "steps": 50, "loss_first": 3.0, "loss_last": 0.5, "nonfinite_step": 30, "step_seconds": 0.1,
        "wait_seconds": None, "memory": None}  # fmt: skip
LOST = {"rank": 1, "step": 30, "what": "gradient", "others": [0]}
AGAIN = {"step": 30, "why": FINITE, "what": "a gradient"}


@check(
    reads=Unlocalised,
    also=(LostRank, Ranks),
    root="the step done again",
    background=0.02,
    given={"dist/one-rank-nonfinite": 0.40, "other/unlisted": 0.10},
    fires={
        "in one process": {"unlocalised": AGAIN},
        "on the rank that was lost": {"unlocalised": AGAIN, "lost-rank": LOST, "ranks": {"ranks": [WELL]}},
    },
    quiet={
        "it cannot be done again": {"unlocalised": {**AGAIN, "why": "the model is compiled"}},
        "the gradient came from another rank": {"unlocalised": AGAIN, "ranks": {"ranks": [WELL]}},
        "another step": {"unlocalised": AGAIN, "lost-rank": {**LOST, "step": 12}},
    },
)
def finite_when_done_again(again: Unlocalised, lost: LostRank | None, ranks: Ranks | None) -> Iterator[Finding]:
    """The step that gave NaN or Inf gives finite numbers when it is done once more with the same weights and samples.

    ## Why it matters
    A logarithm of zero or a bad sample gives NaN each time. What comes once is the device's, or is made by something
    that the step alone does not hold.

    ## False alarms
    Of several ranks only the one that was lost by itself is asked; to the others the numbers came from outside.
    """
    if again.why != FINITE or (lost is None and ranks is not None) or (lost is not None and lost.step != again.step):
        return
    yield Finding(f"step {again.step}, done again on the same samples, gives finite numbers only", step=again.step)
