from collections.abc import Iterator
from math import prod

from stetho.check import Finding, check
from stetho.evidence import Place
from stetho.facts import CallOrder, LearningRate, Loaders, RunSetup, SchedulerUse

LINE = {"file": "train.py", "line": 30}


def scheduler(unit: str, **more: object) -> dict[str, object]:
    one = {"name": "StepLR", "where": None, "horizon": None, "unit": unit, "calls": 599, "interval": 1.0, **more}
    return {"optimizer": "SGD", "steps": 600, "patterns": [], "distinct": 2, "schedulers": [one]}


def loops(*rounds: int) -> dict[str, object]:
    planned = prod(rounds)
    return {"command": [], "planned_steps": planned, "loops": [{"where": LINE, "rounds": n} for n in rounds]}


def rates(*values: float) -> dict[str, object]:
    steps = [0, 5, 10, 20, 40, 80, 160, 300, 450, 599]
    return {"optimizer": "SGD", "steps": steps[: len(values)], "values": list(values), "initial": values[0]}


ORDER, SETUP = scheduler("step"), loops(60, 10)
GONE = rates(0.01, 3e-3, 9e-4, 2e-5, 6e-8, 0, 0, 0, 0, 0)
CREEPS = rates(1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 2e-5, 3e-5, 6e-5, 8e-5, 1e-4)
SLOW = scheduler("epoch", calls=9, interval=60.0, top=0.01, name="LambdaLR")


@check(
    reads=(CallOrder, LearningRate, RunSetup),
    also=Loaders,
    root="schedule-unit",
    background=0.02,
    given={"train/lr-collapsed": 0.03, "other/unlisted": 0.02},
    fires={
        "ten epochs, and the rate is gone in the first": {
            "call-order": ORDER, "learning-rate": GONE, "run-setup": SETUP,
        },
        "milestones at two of ten epochs, both behind it after ten of sixty steps": {
            "call-order": ORDER, "run-setup": SETUP, "learning-rate": rates(0.05, 5e-3, *[5e-4] * 8),
        },
        "a warm-up in batches, called once an epoch": {
            "call-order": SLOW, "learning-rate": CREEPS, "run-setup": SETUP,
        },
    },
    quiet={
        "falls once per epoch": {
            "call-order": scheduler("epoch"), "learning-rate": GONE, "run-setup": SETUP,
        },
        "made for batches, ends at the end": {
            "call-order": ORDER, "run-setup": SETUP,
            "learning-rate": rates(*(0.01 - 0.00001 * s for s in (0, 5, 10, 20, 40, 80, 160, 300))),
        },
        "warms up over some steps, and stays up": {
            "call-order": ORDER, "run-setup": SETUP, "learning-rate": rates(1e-4, 1e-3, 2e-3, 5e-3, *[1e-2] * 6),
        },
        "milestones far beyond the number of epochs": {
            "call-order": ORDER, "run-setup": SETUP,
            "learning-rate": rates(*[0.05] * 6, 5e-3, 5e-3, 5e-4, 5e-4),
        },
        "one loop of steps, no epochs": {
            "call-order": ORDER, "learning-rate": GONE, "run-setup": loops(600),
        },
        "would be gone after half of the epochs, too": {
            "call-order": ORDER, "learning-rate": rates(0.01, 1e-7, 0, 0, 0, 0, 0, 0, 0, 0), "run-setup": SETUP,
        },
        "warm-up over some of the epochs": {
            "call-order": SLOW, "learning-rate": rates(1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 3e-3, 5e-3, 8e-3, 1e-2, 1e-2),
            "run-setup": SETUP,
        },
        "warm-up per batch, cut short": {
            "call-order": scheduler("step", top=0.01), "learning-rate": CREEPS, "run-setup": SETUP,
        },
    },
)  # fmt: skip
def schedule_in_other_unit(
    order: CallOrder, rate: LearningRate, setup: RunSetup, loaders: Loaders | None
) -> Iterator[Finding]:
    """A schedule that fits the number of epochs is called at every batch, or one for batches once an epoch.

    ## Why it matters
    A decay over ten epochs is over after ten batches; a warm-up over five hundred batches never ends in ten epochs.

    ## False alarms
    Runs with a single loop have one unit only. A schedule that would end as early in the other unit is too fast in
    both: that is another fault.
    """
    batch = stepped_per_batch(order, rate, setup, loaders)
    found = batch or stepped_per_epoch(order, rate, setup, loaders)
    whole = counted(setup, loaders, order.steps)
    if found is None or whole is None:
        return
    places = tuple(p for p in (found.stepped_at, found.where) if p is not None)
    top = max(rate.values)
    if batch is not None:
        nothing = collapsed(rate)
        low = 1e-3 * top if nothing else rate.values[-1]
        gone = next(s for s, v in zip(rate.steps, rate.values, strict=True) if v <= low)
        left = "nothing of the rate" if nothing else f"{low / top:.2g} of the rate"
        yield Finding(
            f"{found.name} is called at every step and leaves {left} {top:.3g} by step {gone}, in epoch "
            f"{gone // max(1, whole[1]) + 1} of {whole[0]}",
            where=places or _optimizer(rate),
        )
    else:
        yield Finding(
            f"{found.name} is called once an epoch, {whole[0]} times for {whole[0] * whole[1]} steps, and the rate "
            f"comes to {top:.3g} of {found.top or 0:.3g}",
            where=places or _optimizer(rate),
        )


def _optimizer(rate: LearningRate) -> tuple[Place, ...]:
    return (rate.where,) if rate.where is not None else ()


def collapsed(rate: LearningRate, *, factor: float = 1e-3) -> bool:
    """Whether the rate is almost nothing from the middle of the run on."""
    highest = max(rate.values, default=0.0)
    # The highest from there on: a schedule that restarts may be at its end in the middle.
    middle = max(rate.values[len(rate.values) // 2 :], default=0.0)
    return highest > 0 and len(rate.values) >= 3 and middle < factor * highest


def settled(rate: LearningRate, epochs: int, *, factor: float = 0.1) -> bool:
    """Whether the rate comes down within as many steps as there are epochs, and stays there for the rest of the run."""
    if len(rate.values) < 3:
        return False
    last = rate.values[-1]
    moved = max((s for s, v in zip(rate.steps, rate.values, strict=True) if v != last), default=0)
    return last <= factor * 1.001 * max(rate.values) and moved <= epochs < rate.steps[-1]


def counted(setup: RunSetup | None, loaders: Loaders | None, steps: int) -> tuple[int, int] | None:
    """Epochs that the run plans, and steps in each; None where it has no epochs, or they cannot be told."""
    planned = setup.planned_steps if setup is not None else None
    trained = [one for one in loaders.loaders if one.phase == "train"] if loaders is not None else []
    for one in trained[:1]:
        if one.steps_per_epoch and one.steps_per_epoch >= 2:
            each = round(one.steps_per_epoch)
            epochs = round(planned / each) if planned is not None else one.epochs or 0
            return (epochs, each) if epochs >= 2 else None
    rounds = [loop.rounds for loop in setup.loops if loop.rounds != 1] if setup is not None else []
    outer = [n for n in rounds[1:] if n is not None]
    if len(rounds) < 2 or len(outer) < len(rounds) - 1:
        return None
    # How long the innermost loop is may not be known beforehand; the steps that were taken tell the least it can be.
    each = rounds[0] if rounds[0] is not None else steps // prod(outer)
    return prod(outer), each


def stepped_per_batch(
    order: CallOrder, rate: LearningRate, setup: RunSetup | None, loaders: Loaders | None
) -> SchedulerUse | None:
    """The schedule that is called at every step and would fit the epochs, where its rate is gone early."""
    whole = counted(setup, loaders, order.steps)
    if whole is None or whole[0] < 3 or whole[1] < 4 or not (collapsed(rate) or settled(rate, whole[0])):
        return None
    half = [v for s, v in zip(rate.steps, rate.values, strict=True) if s <= max(1, whole[0] // 2)]
    if not half or half[-1] < 0.01 * max(rate.values):
        return None
    return next((one for one in order.schedulers if one.unit == "step"), None)


def stepped_per_epoch(
    order: CallOrder, rate: LearningRate, setup: RunSetup | None, loaders: Loaders | None, *, reached: float = 0.5
) -> SchedulerUse | None:
    """The schedule that is called once an epoch and at this pace does not come near its own rate by the last epoch."""
    whole = counted(setup, loaders, order.steps)
    if whole is None or whole[0] < 2 or whole[1] < 8 or not rate.values:
        return None
    steps = whole[0] * whole[1]
    # A run that was ended early is thought to go on as it went.
    further = max(0.0, rate.values[-1] - rate.values[0]) * max(0.0, steps / max(1, rate.steps[-1]) - 1)
    comes_to = max(rate.values) + further
    for one in order.schedulers:
        rising = rate.values[-1] >= 0.9 * max(rate.values)
        many = one.horizon is None or one.horizon >= 2 * whole[0]
        if one.unit == "epoch" and one.top is not None and rising and many and comes_to < reached * one.top:
            return one
    return None
