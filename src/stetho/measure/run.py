"""The run: its command, models and optimizers, how long its steps take, its memory, how much of it is on record."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from statistics import median

from stetho.evidence import Place
from stetho.facts import (
    Loop,
    Memory,
    Model,
    Models,
    Optimizers,
    OptimizerUse,
    Recorded,
    RunSetup,
    StepTimes,
)
from stetho.measure.series import Measured, amounts, known, plural, settings, taken, thin
from stetho.recording import Recording, Step, number


def run_setup(recording: Recording) -> Iterator[Measured]:
    """The command and its surroundings, and how many steps it plans."""
    told = recording.of("run")
    if not told:
        return
    body = told[-1]
    planned = recording.of("planned")
    loops = planned[-1].get("loops") or [] if planned else []
    fact = RunSetup(
        command=tuple(map(str, body.get("argv") or ())),
        cwd=body.get("cwd"),
        python=body.get("python"),
        torch=body.get("torch"),
        threads=body.get("threads"),
        rank=body.get("rank"),
        world=body.get("world"),
        planned_steps=planned[-1].get("steps") if planned else None,
        loops=tuple(Loop(Place(str(file), int(line)), count) for file, line, count in loops),
    )
    many = f", {fact.world} processes together" if fact.world and fact.world > 1 else ""
    plan = f", plans {plural(fact.planned_steps, 'step')}" if fact.planned_steps is not None else ""
    yield fact, f"{shlex.join(fact.command)} with torch {fact.torch}{many}{plan}"


def models(recording: Recording) -> Iterator[Measured]:
    """The whole models, their size and what they were made with."""
    found = tuple(
        Model(
            name=str(body.get("class") or "model"),
            where=recording.place(body.get("site")),
            parameters=body.get("parameters"),
            trainable=body.get("trainable"),
            settings=settings(body.get("args")),
            dtypes=amounts(body.get("dtypes")),
            devices=amounts(body.get("devices")),
        )
        for body in recording.of("model")
    )
    if found:
        told = (f"{m.name} has {m.parameters} parameters, {m.trainable} of them trainable" for m in found[:3])
        yield Models(found), "; ".join(told) + (f"; {plural(len(found) - 3, 'more model')}" if len(found) > 3 else "")


def optimizers(recording: Recording) -> Iterator[Measured]:
    """The optimizers, what they were made with and how many steps each took."""
    found = tuple(
        OptimizerUse(
            name=str(body["name"]),
            where=recording.place(body.get("site")),
            steps=taken([s for s in recording.steps if s.optimizer == body["o"]]),
            rates=tuple(known(body.get("lr") or ())),
            momentum=number(body.get("momentum")),
            decay=number(body.get("decay")),
            settings=settings(body.get("settings")),
            group_sizes=tuple(map(int, body.get("groups") or ())),
            fused=body.get("fused"),
        )
        for body in recording.of("optimizer")
    )
    if found:
        told = (f"{o.name} ({o.where}) took {plural(o.steps, 'step')}" for o in found[:4])
        yield Optimizers(found), ", ".join(told) + (f", and {len(found) - 4} more" if len(found) > 4 else "")


def step_times(steps: list[Step]) -> Iterator[Measured]:
    """Seconds of the steps, of waiting for data and of evaluation."""
    seen = [(s, s.seconds) for s in steps if s.seconds is not None]
    if not seen:
        return
    usual = seen[1:] or seen
    slowest, longest = max(usual, key=lambda one: one[1])
    waits = [s.wait for s, _ in seen if s.wait is not None]
    validations = [s.validation for s, _ in seen if s.validation]
    kept = thin(seen)
    fact = StepTimes(
        first=seen[0][1],
        median=median(t for _, t in usual),
        slowest=longest,
        slowest_step=slowest.index,
        total=sum(t for _, t in seen),
        wait_median=median(waits) if waits else None,
        wait_total=sum(waits) if waits else None,
        validation_total=sum(validations) if validations else None,
        validations=len(validations) if validations else None,
        steps=tuple(s.index for s, _ in kept),
        seconds=tuple(t for _, t in kept),
        waits=tuple(s.wait for s, _ in kept if s.wait is not None) if len(waits) == len(seen) else (),
    )
    told = f"a step takes {fact.median:.3g} s (median), the slowest took {fact.slowest:.3g} s"
    told += f"; {sum(waits) / fact.total:.0%} of the time waits for data" if waits and fact.total else ""
    told += f"; evaluation took {fact.validation_total:.3g} s" if fact.validation_total else ""
    yield fact, told


def memory(recording: Recording) -> Iterator[Measured]:
    """Memory at the ends of the blocks of steps."""
    blocks = [b for b in recording.of("steps") if number(b.get("rss")) is not None]
    seen = [(int(b["i"]) + (int(b["n"]) - 1) * int(b.get("every") or 1), b) for b in blocks]
    if not seen:
        return
    kept = thin(seen)
    device = [int(b["gpu"]) for _, b in seen if number(b.get("gpu")) is not None]
    peaks = [int(b["peak"]) for _, b in seen if number(b.get("peak")) is not None]
    fact = Memory(
        steps=tuple(i for i, _ in kept),
        resident=tuple(int(b["rss"]) for _, b in kept),
        highest=max([int(b["rss"]) for _, b in seen] + peaks),
        device=tuple(int(b["gpu"]) for _, b in kept) if len(device) == len(seen) else (),
        device_highest=max(device, default=None),
    )
    first, last, most = (n / 2**20 for n in (fact.resident[0], fact.resident[-1], fact.highest))
    yield fact, f"memory went from {first:.0f} MB to {last:.0f} MB, at most {most:.0f} MB"


def recorded(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    """How much of what happened is on record; what is missing must not look like calm."""
    if not steps:
        return
    count = taken(steps)
    fact = Recorded(
        steps=count,
        recorded=len(steps),
        thinned=bool(recording.of("thinned")) or len(steps) < count,
        full=bool(recording.of("full")),
        faults=len(recording.faults),
        processes=recording.processes or None,
    )
    ended = ", which reached its limit" if fact.full else ""
    failed = f"; the observer failed {plural(fact.faults, 'time')}" if fact.faults else ""
    yield fact, f"{fact.recorded} of {plural(count, 'step')} are on record{ended}{failed}"
