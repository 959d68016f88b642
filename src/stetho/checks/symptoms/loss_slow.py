from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.curves import Shape, shape
from stetho.facts import Clipping, LossCurve, RateAndLoss, UpdateRatios

BARELY = [1e-6] * 20
CREEPS = {"values": [2.31 - i * 0.0005 for i in range(200)], "logged": True}
STOPS = {
    "peak": 0.1, "last": 0.0, "gone_step": 50, "share": 0.95, "alive": 20, "before": 4.5, "at": 4.2, "end": 4.19,
    "fell": 8.0, "moved": 0.5,
}  # fmt: skip
FELL = {"values": [4.5, 4.4, 4.3, *[4.2] * 200], "logged": True}


@check(
    reads=LossCurve,
    also=(UpdateRatios, RateAndLoss, Clipping),
    root="loss-curve",
    severity=40,
    fires={
        "creeps": {
            "loss-curve": {"values": [2.31 - i * 0.002 for i in range(200)], "chance": 2.303},
            "update-ratios": {"steps": list(range(20)), "ratios": BARELY},
        },
        "was falling until the rate was gone": {"loss-curve": FELL, "rate-and-loss": STOPS},
        "the same, observed": {
            "loss-curve": {**FELL, "logged": False},
            "update-ratios": {"steps": list(range(20)), "ratios": [1e-3] * 20},
            "rate-and-loss": STOPS,
        },
        "creeps under a clip far below the gradient": {
            "loss-curve": CREEPS,
            "clipping": {
                "calls": 200, "fired": 200, "steps_in_all": 200, "limit_first": 0.01, "limit_last": 0.01,
                "steps": list(range(20)), "norms": [0.6] * 20,
            },
        },
    },
    quiet={
        "learns": {
            "loss-curve": {"values": [2.3 * 0.98**i for i in range(200)], "chance": 2.303},
            "update-ratios": {"steps": list(range(20)), "ratios": [1e-3] * 20},
        },
        "fine-tuning from a low loss": {
            "loss-curve": {"values": [0.4 - i * 0.0001 for i in range(200)], "chance": 2.303},
            "update-ratios": {"steps": list(range(20)), "ratios": BARELY},
        },
        "a logged loss that creeps for no reason that is seen": {"loss-curve": CREEPS},
        "had stopped before the rate went": {"loss-curve": FELL, "rate-and-loss": {**STOPS, "fell": 0.4}},
        "was trained out when the rate went": {
            "loss-curve": {**FELL, "logged": False},
            "update-ratios": {"steps": list(range(20)), "ratios": [1e-3] * 20},
            "rate-and-loss": {**STOPS, "at": 0.4, "end": 0.4},
        },
        "goes on after it": {"loss-curve": FELL, "rate-and-loss": {**STOPS, "moved": 9.0, "end": 3.1}},
        "the rate ends late": {"loss-curve": FELL, "rate-and-loss": {**STOPS, "share": 0.3}},
        "clipped a little": {
            "loss-curve": CREEPS,
            "clipping": {
                "calls": 200, "fired": 200, "steps_in_all": 200, "limit_first": 1.0, "limit_last": 1.0,
                "steps": list(range(20)), "norms": [1.6] * 20,
            },
        },
    },
)  # fmt: skip
def loss_slow(
    curve: LossCurve,
    updates: UpdateRatios | None,
    schedule: RateAndLoss | None,
    clip: Clipping | None,
    *,
    moved: float = 0.10,
) -> Iterator[Finding]:
    """The loss creeps down, or stops on its way, because the parameters hardly move.

    ## Why it matters
    The run will end long before it has learned what it could.

    ## False alarms
    Fine-tuning moves little on purpose and starts low; only a run that began at or above chance, or whose
    chance is unknown, and has come down by less than half counts. Of a log, a slow fall alone says nothing: the loss
    must have been falling until the rate was gone, early in the run, or the gradients must be clipped to a small part.
    """
    seen = shape(curve.values)
    if seen is None or curve.objectives > 1 or seen.steps < 20 or seen.end <= 0:
        return
    words = ""
    if updates is not None and updates.ratios:
        path = sum(updates.ratios) / len(updates.ratios) * seen.steps
        high = curve.chance is None or (seen.start > 0.8 * curve.chance and seen.end > 0.5 * curve.chance)
        if path < moved and high and seen.end > 0.5 * seen.start and seen.end < 0.999 * seen.start:
            words = f"only, while {seen.steps} steps together moved the parameters by {path:.1%} of their norm"
    if not words and schedule is not None and stopped_with_the_rate(schedule):
        words = f"and was falling until step {schedule.gone_step}, where the rate is gone; it stands still since then"
    elif curve.logged and clip is not None and throttled(clip) and 0.8 * seen.start < seen.end < 0.995 * seen.start:
        words = f"only, at gradients that are always clipped to {clip.limit_last:.3g}"
    if words:
        step = schedule.gone_step if schedule is not None and "rate is gone" in words else None
        yield Finding(told(seen, words), where=(curve.where,) if curve.where else (), step=step)


def told(seen: Shape, words: str) -> str:
    return f"loss comes down from {seen.start:.4g} to {seen.end:.4g} {words}"


def stopped_with_the_rate(schedule: RateAndLoss, *, share: float = 0.7, errors: float = 3.0) -> bool:
    """Whether the loss was falling beyond noise when the rate went, early, and has not moved since, far from zero."""
    stands = abs(schedule.at - schedule.end) < 0.05 * schedule.at and schedule.moved < errors
    unfinished = schedule.end > 0.4 * schedule.before > 0
    return schedule.share >= share and schedule.fell >= errors and stands and unfinished


def throttled(clip: Clipping, *, factor: float = 10.0) -> bool:
    """Whether the gradient is clipped at nearly every step, and to a small part of it."""
    norms = sorted(clip.norms)
    middle = norms[len(norms) // 2] if norms else 0.0
    return clip.calls >= 20 and clip.fired >= 0.95 * clip.calls and middle > factor * clip.limit_last
