from collections.abc import Iterator
from statistics import median

from stetho.check import Finding, check
from stetho.facts import RoundedUpdates

STEPS = [0, 1, 10, 40, 100]


@check(
    reads=RoundedUpdates,
    root="rounded-updates",
    background=0.01,
    fires={
        "bfloat16 at a small rate": {
            "elements": 9000, "steps": STEPS, "shares": [0.5, 0.6, 0.7, 0.8, 0.9], "dtype": "bfloat16",
        },
    },
    quiet={
        "steps large enough for bfloat16": {"elements": 9000, "steps": STEPS, "shares": [0.0, 0.1, 0.2, 0.2, 0.3]},
        "only at the end, where little is left to learn": {
            "elements": 9000, "steps": STEPS, "shares": [0.05, 0.1, 0.3, 0.6, 0.9],
        },
    },
)  # fmt: skip
def updates_rounded_away(rounded: RoundedUpdates, *, share: float = 0.5, least: int = 3) -> Iterator[Finding]:
    """Weights are kept in half precision, and most of them come out of a step exactly as they went in.

    ## Why it matters
    bfloat16 has eight bits for a number: a change below a 256th of a weight is rounded away, and however often it is
    asked for, the weight never moves.

    ## False alarms
    At the end of training steps are small in any precision; only what holds from early on counts.
    """
    last = max(rounded.steps, default=0)
    # The very first steps are looked at one by one, and are the largest.
    seen = [(i, s) for i, s in zip(rounded.steps, rounded.shares, strict=True) if i >= last / 20]
    early, all_over = [s for i, s in seen if i <= last / 2], [s for _, s in seen]
    if len(seen) >= least and early and min(median(early), median(all_over)) >= share:
        kind = rounded.dtype or "half precision"
        yield Finding(
            f"a step leaves {median(all_over):.0%} of the weights with a gradient exactly as they were: "
            f"its change is below what {kind} can hold"
        )
