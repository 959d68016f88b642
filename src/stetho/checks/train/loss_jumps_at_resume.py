from collections.abc import Iterator
from math import isfinite

from stetho.check import Finding, check
from stetho.facts import LossCurve, Resumptions

FALLS = {"values": [9.0 * 0.97**i + 2.0 for i in range(100)], "logged": True}
JUMP = {"left": 5980, "entered": 6000, "before": 2.5, "after": 6.6, "noise": 0.03}


@check(
    reads=(Resumptions, LossCurve),
    root="loss at a resume",
    background=0.02,
    given={"train/resume-broken": 0.95, "none/healthy": 0.01, "other/unlisted": 0.02},
    fires={"most of what was learned is lost": {"resumptions": {"points": [JUMP]}, "loss-curve": FALLS}},
    quiet={
        "goes on where it was": {"resumptions": {"points": [{**JUMP, "after": 2.52}]}, "loss-curve": FALLS},
        "a bump within the noise": {
            "resumptions": {"points": [{**JUMP, "after": 3.4, "noise": 0.4}]},
            "loss-curve": FALLS,
        },
        "a bump that is small beside what was learned": {
            "resumptions": {"points": [{**JUMP, "after": 3.0}]},
            "loss-curve": FALLS,
        },
        "too little before it": {"resumptions": {"points": [{**JUMP, "noise": None}]}, "loss-curve": FALLS},
        "two players": {"resumptions": {"points": [JUMP]}, "loss-curve": {**FALLS, "objectives": 2}},
    },
)
def loss_jumps_at_resume(found: Resumptions, curve: LossCurve, *, share: float = 0.2) -> Iterator[Finding]:
    """Right after the run was taken up again, the loss is far above where it had been.

    ## Why it matters
    A resume that restores everything goes on at the same level: weights, optimizer state or the schedule were lost.

    ## False alarms
    Other data from that point on, as the next stage of a curriculum, has another level, too.
    """
    finite = [value for value in curve.values if isfinite(value)]
    point = found.jump(max(finite[:3]), share) if finite and curve.objectives == 1 else None
    if point is not None:
        words = f"loss is {point.before:.3g} before the resume at step {point.entered}, {point.after:.3g} after it"
        yield Finding(words, step=point.entered)
