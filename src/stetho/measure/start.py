"""The start: states that were loaded and seeds that were set."""

from __future__ import annotations

from collections.abc import Iterator

from stetho.facts import Load, Resumed, SavedState, SavedStates, Seed, Seeds, WeightsRead, WeightsSource
from stetho.measure.series import Measured, plural
from stetho.recording import Recording

SHOWN_SEEDS = 50


def resumed(recording: Recording) -> Iterator[Measured]:
    """What was loaded into models, optimizers and schedulers."""
    loads = tuple(
        Load(
            what=str(body.get("what") or "model"),
            name=str(body.get("name") or ""),
            keys=_count(body.get("keys")),
            missing=tuple(map(str, body.get("missing") or ())),
            unexpected=tuple(map(str, body.get("unexpected") or ())),
            strict=body.get("strict"),
            where=recording.place(body.get("site")),
            step=int(body.get("step") or 0),
            passed_over=_count(body.get("passed_over")),
        )
        for body in recording.of("loaded")
    )
    if loads:
        yield Resumed(loads), "; ".join(map(_told, loads[:4])) + (f"; {len(loads) - 4} more" if len(loads) > 4 else "")


def _count(keys: object) -> int | None:
    """How many entries there were, whether they were counted or listed."""
    return len(keys) if isinstance(keys, list) else keys if isinstance(keys, int) else None


def _told(one: Load) -> str:
    told = f"{one.what} {one.name} was loaded at step {one.step} ({one.where})"
    told += f", {plural(len(one.missing), 'key')} missing" if one.missing else ""
    return told + (f", {plural(len(one.unexpected), 'key')} unused" if one.unexpected else "")


def weights_read(recording: Recording) -> Iterator[Measured]:
    """Weights that were read before a first step, and how much of them the step uses."""
    found = tuple(
        WeightsSource(
            what=str(body.get("what") or "file"),
            where=recording.place(body.get("site")),
            elements=int(body.get("elements") or 0),
            fits=int(body.get("fits") or 0),
            held=int(body.get("held") or 0),
            elsewhere=int(body.get("elsewhere") or 0),
            copied=_count(body.get("copied")),
            idle=int(body.get("idle") or 0),
            idle_fits=int(body.get("idle_fits") or 0),
        )
        for body in recording.of("source")
    )
    if found:
        told = (f"of weights read at {s.where}, {s.held} of {s.fits} that fit are in the model" for s in found[:3])
        yield WeightsRead(found), "; ".join(told)


def saved_states(recording: Recording) -> Iterator[Measured]:
    """States of optimizers and schedules in files that were read, and whether the first step goes on from them."""
    found = tuple(
        SavedState(
            what=str(body.get("what") or "optimizer"),
            name=str(body.get("name") or ""),
            where=recording.place(body.get("site")),
            saved=int(body.get("saved") or 0),
            begun=int(body.get("begun") or 0),
            same=bool(body.get("same")),
            optimizer=int(body.get("o") or 0),
        )
        for body in recording.of("saved")
    )
    if found:
        told = (
            f"the file read at {s.where} has a state of {s.name} after {plural(s.saved, 'step')}; it begins with "
            f"{s.begun or 'none'} of them"
            for s in found[:3]
        )
        yield SavedStates(found), "; ".join(told)


def seeds(recording: Recording) -> Iterator[Measured]:
    """Where random generators are seeded; a fact also when none is."""
    told = recording.of("seeded")
    if not told and not recording.tells_absence:
        return
    found = tuple(
        Seed(
            what=str(body.get("what") or ""),
            value=body["value"] if isinstance(body.get("value"), int) else None,
            where=recording.place(body.get("site")),
            step=int(body.get("step") or 0),
        )
        for body in told[:SHOWN_SEEDS]
    )
    which = ", ".join(dict.fromkeys(seed.what for seed in found))
    summary = f"{which} seeded in {plural(len(told), 'call')}" if found else "the program seeds no random generator"
    loose = tuple(left_to_chance(recording))
    more = f"; left to chance: {', '.join(dict.fromkeys(seed.what for seed in loose))}" if loose else ""
    yield Seeds(found, len(told), loose), summary + more


def left_to_chance(recording: Recording) -> Iterator[Seed]:
    """Generators that get no seed, or the time of day, or that training draws from although nobody seeds them."""
    for body in (*recording.of("unseeded"), *recording.of("seeded")):
        if "value" not in body or body["value"] is None or body.get("clock"):
            site, step = recording.place(body.get("site")), int(body.get("step") or 0)
            yield Seed(str(body.get("what") or ""), None, site, step)
    seeded, looks = {body.get("what") for body in recording.of("seeded")}, recording.of("streams")
    for what in ("torch", "numpy", "random"):
        states = {body[what] for body in looks if what in body}
        if what not in seeded and len(states) > 1:
            yield Seed(what, None, None, int(looks[0].get("step") or 0))
