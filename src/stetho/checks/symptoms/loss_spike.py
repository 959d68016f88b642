import math
from collections.abc import Iterator, Sequence
from statistics import median

from stetho.check import Finding, check
from stetho.curves import best_level, finite, shape
from stetho.facts import LossCurve, LossTexture, Resumptions, UpdateRatios

CLIMBS = [2.4 - i * 0.017 for i in range(100)] + [0.7 + i * 0.02 for i in range(40)]
LARGE = {"steps": list(range(10)), "ratios": [0.3] * 10}
FALLS = {"values": [2.4 * 0.97**i + 0.2 for i in range(140)], "logged": True}
TEXTURE = {"name": "loss", "points": 140, "noise": 0.02}
AGAIN = {"met": 9, "of": 10, "distance": 63.0, "height": 12.0, "place": 28, "steps": [28, 91, 154]}
LOST = [2.4 * 0.95**i + 0.1 for i in range(100)] + [2.3, 2.31, 2.29, 2.3] * 10


@check(
    reads=LossCurve,
    also=(UpdateRatios, LossTexture, Resumptions),
    root="loss-curve",
    severity=60,
    fires={
        "climbs back": {"loss-curve": {"values": CLIMBS, "chance": 2.3}, "update-ratios": LARGE},
        "a few batches are unlike all others": {
            "loss-curve": {"values": [500.0 if i % 40 == 30 else 0.5 + 0.1 * (i % 3) for i in range(200)]},
        },
        "at the same place of each epoch": {"loss-curve": FALLS, "loss-texture": {**TEXTURE, "recurrence": AGAIN}},
        "begins anew again and again": {
            "loss-curve": FALLS,
            "loss-texture": {
                **TEXTURE, "cycles": {"count": 15, "low": 0.01, "peak": 8.0, "distance": 25.0, "lasts": 12.0},
            },
        },
        "where the run was taken up again": {
            "loss-curve": FALLS,
            "resumptions": {"points": [{"left": 70, "entered": 71, "before": 0.5, "after": 1.9, "noise": 0.02}]},
        },
        "all is lost in one jump": {"loss-curve": {"values": LOST, "logged": True}},
    },
    quiet={
        "comes down and stays": {
            "loss-curve": {"values": [2.4 * 0.97**i for i in range(140)], "chance": 2.3},
            "update-ratios": LARGE,
        },
        "rises under calm updates, as a curriculum does": {
            "loss-curve": {"values": CLIMBS, "chance": 2.3},
            "update-ratios": {"steps": list(range(10)), "ratios": [0.01] * 10},
        },
        "one of a rare class in a few batches": {
            "loss-curve": {
                "values": [0.11 if i % 40 == 30 else 0.0009 + 0.0001 * (i % 3) for i in range(200)],
                "chance": 0.008, "label_noise": 0.027, "rarest_label": 0.108,
            },
        },
        "single samples, whose losses differ by nature": {
            "loss-curve": {"values": [math.exp(3 * math.sin(1.7 * i * i)) for i in range(200)]},
        },
        "spikes that recover and do not come back": {
            "loss-curve": FALLS, "loss-texture": {**TEXTURE, "spike_count": 4},
        },
        "rises slowly, as a term is phased in": {"loss-curve": {"values": CLIMBS, "logged": True}},
        "a new task, which is learned in turn": {
            "loss-curve": {"values": [2.4 * 0.95**i + 0.1 for i in range(100)] * 2, "logged": True},
        },
        "an agent's loss": {
            "loss-curve": {"values": LOST, "logged": True, "objectives": 2},
        },
    },
)  # fmt: skip
def loss_spike(
    curve: LossCurve,
    updates: UpdateRatios | None,
    texture: LossTexture | None,
    resumed: Resumptions | None,
    *,
    early: float = 0.1,
) -> Iterator[Finding]:
    """The loss jumps far above the level it had reached, and stays there or does it again and again.

    ## Why it matters
    What was learned is lost again, in a jump or bit by bit.

    ## False alarms
    A task that gets harder, or a term that is phased in, raises the loss on purpose; their updates are calm. Single
    spikes that recover are usual, and so are batches that hold one of a rare class. Of a log, only those count that
    come back at one place, that bring the loss back to its beginning over and over, or after which it stays there.
    Where the rate rises at them, its schedule does it.
    """
    if curve.objectives > 1:
        return
    where = (curve.where,) if curve.where else ()
    if curve.logged:
        yield from logged_spikes(curve, texture, resumed)
        return
    jumps = far_above(curve.values, beyond=by_labels(curve))
    if len(jumps) >= 3:
        height = sorted(height for _, height in jumps)[len(jumps) // 2]
        steps = [curve.steps[i] if i < len(curve.steps) else i for i, _ in jumps]
        yield Finding(
            f"loss jumps to {height:.3g} times its level {len(jumps)} times, first at step {steps[0]}, and recovers",
            where=where, step=steps[0],
        )  # fmt: skip
        return
    seen, best = shape(curve.values), best_level(curve.values)
    if seen is None or best is None or curve.chance is None or updates is None or seen.steps < 40 or best <= 0:
        return
    first = sorted(updates.ratios[:10])[len(updates.ratios[:10]) // 2] if updates.ratios else 0.0
    if first > early and seen.end > 1.5 * best and seen.end - best > 0.15 * seen.start:
        yield Finding(f"loss climbs back to {seen.end:.3g} after {best:.3g}", where=where)


def by_labels(curve: LossCurve, *, sigmas: float = 6.0, labels: float = 4.0) -> float:
    """What a batch may cost by holding labels of rare classes: many for their share, or a few that were learned ill."""
    if curve.chance is None or curve.label_noise is None:
        return 0.0
    return curve.chance + max(sigmas * curve.label_noise, labels * (curve.rarest_label or 0.0))


def far_above(
    values: Sequence[float], *, times: float = 100.0, scatter: float = 8.0, width: int = 25, beyond: float = 0.0
) -> list[tuple[int, float]]:
    """Single steps far above what lies around them: a hundred times, far more than logarithms scatter by, and `beyond`
    a value that needs no spike."""
    known = [v if math.isfinite(v) and v > 0 else None for v in values]
    if len(known) < 4 * width or None in known:
        return []
    logs = [math.log(v) for v in known if v is not None]
    found = []
    for i in range(len(logs) // 10, len(logs)):
        around = logs[max(0, i - width) : i + width + 1]
        level = median(around)
        spread = median([abs(v - level) for v in around]) / 0.6745
        if logs[i] - level > max(math.log(times), scatter * spread) and math.exp(logs[i]) > beyond:
            found.append((i, math.exp(logs[i] - level)))
    # Neighbours are one jump, and jumps in every tenth step are how the loss is.
    apart = [jump for k, jump in enumerate(found) if not k or jump[0] - found[k - 1][0] > 1]
    return apart if len(found) < len(logs) // 10 else []


def logged_spikes(curve: LossCurve, texture: LossTexture | None, resumed: Resumptions | None) -> Iterator[Finding]:
    known = finite(curve.values)
    jump = resumed.jump(max(known[:3])) if resumed is not None and len(known) else None
    if jump is not None:
        words = f"loss jumps from {jump.before:.3g} to {jump.after:.3g} where the run was taken up again"
        yield Finding(words, step=jump.entered)
        return
    again = texture.recurrence if texture is not None else None
    cycles = texture.cycles if texture is not None else None
    if again is not None:
        at = f"at point {again.place} of the epoch" if again.place is not None else f"every {again.distance:g} steps"
        yield Finding(
            f"loss jumps to {again.height:.3g} times its level {at}, {again.met} times of {again.of}, and recovers",
            step=again.steps[0] if again.steps else None,
        )
    elif cycles is not None:
        yield Finding(
            f"loss sinks to {cycles.low:.2g} and jumps to {cycles.peak:.3g} again, {cycles.count} times, every "
            f"{cycles.distance:g} steps",
            step=cycles.steps[0] if cycles.steps else None,
        )
    else:
        yield from lost_at_once(curve)


def lost_at_once(curve: LossCurve, *, least: int = 20) -> Iterator[Finding]:
    """A jump back to where the loss began, after which it stays there to the end."""
    known, seen, best = finite(curve.values), shape(curve.values), best_level(curve.values)
    if seen is None or best is None or len(known) < least or best <= 0:
        return
    start = max(known[:3])
    low, back = 0.6 * start, 0.8 * start
    last_low = max((i for i, value in enumerate(known) if value < low), default=len(known))
    after = known[last_low + 1 :]
    stays = len(after) >= max(5, len(known) // 20) and sorted(after)[len(after) // 20] > back
    half = len(after) // 2
    sinks = sum(after[:half]) / max(1, half) - sum(after[half:]) / max(1, len(after) - half) > 0.03 * start
    if best < low and stays and not sinks:
        step = curve.steps[curve.values.index(after[0])] if curve.steps else None
        yield Finding(f"loss jumps from {best:.3g} back to {after[-1]:.3g}, where it began, and stays there", step=step)
