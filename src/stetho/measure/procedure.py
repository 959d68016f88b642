"""The procedure: what the program calls in which order, at which rate, and in which mode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from statistics import fmean, median
from typing import Any

from stetho.facts import (
    CallOrder,
    Detached,
    DroppedInEvaluation,
    GraphGrowth,
    GroupRate,
    LearningRate,
    ModeCalls,
    Modes,
    ModeUse,
    Pattern,
    SchedulerUse,
)
from stetho.measure.loading import training_epochs
from stetho.measure.series import Measured, optimizer_name, plural, thin, unbroken
from stetho.recording import Recording, Step, number

CALLS = {
    "z": "zero_grad", "f": "forward", "e": "evaluate", "b": "backward", "c": "clip", "u": "unscale", "s": "step",
    "l": "schedule",
}  # fmt: skip
SHOWN_PATTERNS = 10


def learning_rate(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    rated = [(s.index, s.rates[0]) for s in steps if s.rates and s.rates[0] is not None]
    made = [o for o in recording.of("optimizer") if steps and o["o"] == steps[0].optimizer]
    if not rated or not made:
        return
    thinned = rated[:: max(1, len(rated) // 200)]
    clips = [s.clip for s in steps if s.clip]
    name = str(made[0]["name"])
    fact = LearningRate(
        optimizer=name,
        steps=tuple(i for i, _ in thinned),
        values=tuple(r for _, r in thinned),
        initial=rated[0][1],
        where=recording.place(made[0].get("site")),
        frames=recording.places(made[0].get("site")),
        clipped=fmean(norm > limit for norm, limit in clips) if clips else None,
        groups=_groups(steps, made[0].get("groups") or []),
    )
    last = f", {rated[-1][1]:.3g} at step {rated[-1][0]}" if rated[-1][1] != rated[0][1] else ""
    yield fact, f"{name} steps with lr {rated[0][1]:.3g}{last} ({fact.where})"


def _groups(steps: list[Step], sizes: list[Any]) -> tuple[GroupRate, ...]:
    """The rates of each group, when there is more than one."""
    count = max(len(s.rates) for s in steps)
    if count < 2:
        return ()
    found = []
    for group in range(count):
        rates = [r for s in steps if group < len(s.rates) and (r := s.rates[group]) is not None]
        size = int(sizes[group]) if group < len(sizes) else None
        ends = (rates[0], rates[-1], max(rates)) if rates else (None, None, None)
        found.append(GroupRate(size, *ends))
    return tuple(found)


def call_order(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    """The orders of calls that occur, and how often schedulers are called."""
    seen = [(s.index, s.order) for s in steps if s.order is not None]
    if not seen:
        return
    counts = Counter(order for _, order in seen)
    first: dict[str, int] = {}
    for index, order in seen:
        first.setdefault(order, index)
    backwards = [s.backwards for s in steps if s.backwards is not None]
    fact = CallOrder(
        optimizer=optimizer_name(recording, steps[0].optimizer),
        steps=len(seen),
        patterns=tuple(
            Pattern(in_words(order), order, count, first[order]) for order, count in counts.most_common(SHOWN_PATTERNS)
        ),
        distinct=len(counts),
        backwards=float(median(backwards)) if backwards else None,
        step_at=next((recording.place(s.at) for s in steps if s.at is not None), None),
        schedulers=tuple(_scheduler(recording, body) for body in recording.of("scheduler")),
        clips=tuple(dict.fromkeys(p for b in recording.of("clip") for p in recording.places(b.get("site")))),
        backward_at=next((recording.place(site) for s in steps for site, _ in s.losses), None),
        clearings=tuple(dict.fromkeys(p for b in recording.of("clearing") for p in recording.places(b.get("site")))),
    )
    usual = fact.patterns[0]
    told = f"{fact.optimizer}: {usual.order} in {usual.steps} of {plural(fact.steps, 'step')}"
    units = {"step": "every step", "epoch": "every epoch", "never": "never", "other": "now and then"}
    called = [f"{s.name} is called {units[s.unit]}" for s in fact.schedulers[:2] if s.unit is not None]
    yield fact, "; ".join([told, *called])


def in_words(order: str) -> str:
    return ", ".join(CALLS.get(letter, letter) for letter in order)


def _scheduler(recording: Recording, body: dict[str, Any]) -> SchedulerUse:
    mine = unbroken([s for s in recording.steps if s.optimizer == body.get("o") and s.order is not None])
    called = [s.index for s in mine if "l" in (s.order or "")]
    gaps = [later - earlier for earlier, later in pairwise(called)]
    return SchedulerUse(
        name=str(body.get("name") or "scheduler"),
        where=recording.place(body.get("site")),
        horizon=None if (horizon := number(body.get("horizon"))) is None else int(horizon),
        unit=_unit(recording, mine, called),
        calls=len(called) if mine else None,
        interval=float(median(gaps)) if gaps else None,
        top=number(body.get("top")),
        stepped_at=next(
            (recording.place(b.get("site")) for b in recording.of("scheduled") if b.get("s") == body.get("s")), None
        ),
    )


def _unit(recording: Recording, steps: list[Step], called: list[int]) -> str | None:
    """How often schedulers are called. A call after a step shows in the order of the next one."""
    if len(steps) < 2:
        return None
    begun = [e.step for e in training_epochs(recording)] or [int(b["step"]) for b in recording.of("epoch")]
    if not called:
        # Within the first epoch nobody can tell whether its end would bring a call.
        return None if len(set(begun)) == 1 else "never"
    if len(called) >= 0.9 * (len(steps) - 1):
        return "step"
    edges = {step + near for step in begun for near in (-1, 0, 1)}
    return "epoch" if sum(i in edges for i in called) >= 0.8 * len(called) else "other"


def modes(recording: Recording) -> Iterator[Measured]:
    """In which modes whole models were called, and how often."""
    uses = tuple(_mode(recording, body) for body in recording.of("mode"))
    counted = recording.of("modes")
    rows = counted[-1].get("counts") or [] if counted else []
    calls = tuple(ModeCalls(bool(training), bool(grad), int(n)) for training, grad, n in rows)
    if not uses and not calls:
        return
    kinds = dict.fromkeys([*((m.training, m.grad) for m in uses), *((c.training, c.grad) for c in calls)])
    times = {(c.training, c.grad): c.calls for c in calls}
    told = [
        f"{'training' if training else 'evaluation'} mode {'with' if grad else 'without'} gradients"
        + (f" {times[training, grad]} times" if (training, grad) in times else "")
        for training, grad in kinds
    ]
    switches = tuple(dict.fromkeys(p for b in recording.of("eval") if (p := recording.place(b.get("site")))))
    yield Modes(uses, calls, switches), f"models are called in {', '.join(told)}"


def dropped_in_evaluation(recording: Recording) -> Iterator[Measured]:
    """Lines at which a model that is in evaluation mode leaves out a share of its numbers."""
    looked = [b for b in recording.of("dropping") if "why" not in b]
    found = [b for b in looked if b.get("name")]
    if not looked:
        return
    places = tuple(dict.fromkeys(p for b in found if (p := recording.place(b.get("site")))))
    shares = tuple(float(b["share"]) for b in found)
    models = sum(1 for b in looked if not b.get("name")) + len({b["step"] for b in found})
    told = f"{max(shares):.0%} are dropped at {places[0] if places else 'a line'}" if found else "nothing is dropped"
    yield DroppedInEvaluation(shares, places, models), f"while models in evaluation mode are called, {told}"


def _mode(recording: Recording, body: dict[str, Any]) -> ModeUse:
    return ModeUse(
        training=bool(body.get("training")),
        grad=bool(body.get("grad")),
        step=int(body.get("step") or 0),
        where=recording.place(body.get("site")),
        autocast=body.get("autocast"),
        output_grad=body.get("out_grad"),
        device=body.get("device"),
        norms_in_eval=body.get("norm_eval"),
        norms_in_training=body.get("norm_train"),
        dropouts_in_eval=body.get("dropout_eval"),
        dropouts_in_training=body.get("dropout_train"),
    )


def detached(recording: Recording) -> Iterator[Measured]:
    """Graphs that reach no parameter, and outputs that carry no graph where one would be expected."""
    followed = [body for body in recording.of("graph") if body.get("leaves") is not None]
    met = recording.of("mode")
    loose = [b for b in met if b.get("training") and b.get("grad") and b.get("out_grad") is False]
    if not followed and not met:
        return
    places = dict.fromkeys(p for b in loose if (p := recording.place(b.get("site"))) is not None)
    fact = Detached(len(followed), sum(not body["leaves"] for body in followed), tuple(places))
    told = f"the graph of {fact.without_parameters} of {fact.backwards} backward calls reaches no parameter"
    yield fact, told + (f"; outputs without a graph at {', '.join(map(str, fact.outputs[:3]))}" if places else "")


def graph_growth(recording: Recording) -> Iterator[Measured]:
    """The size of the graph from step to step."""
    seen = [
        b for b in recording.of("graph") if number(b.get("nodes")) is not None and number(b.get("step")) is not None
    ]
    if not seen:
        return
    kept = thin(seen)
    steps, nodes = (tuple(int(body[key]) for body in kept) for key in ("step", "nodes"))
    fact = GraphGrowth(steps, nodes, sum(bool(body.get("retain")) for body in seen))
    retained = f", kept after {plural(fact.retained, 'backward call')}" if fact.retained else ""
    first, last = f"{nodes[0]} nodes at step {steps[0]}", f"{nodes[-1]} at step {steps[-1]}"
    yield fact, f"the graph of the loss has {first}, {last}{retained}"
