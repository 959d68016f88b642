"""Two runs beside each other along the way that data takes: the first thing that differs comes before all it causes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from stetho.facts import PathPart
from stetho.regression.track import Numbers, Track, Weights

# Numbers of runs on the same kind of processor are the same to the last digit; accelerators add in any order.
ON_CPU, ELSEWHERE = 1e-6, 1e-3
SHOWN = 3
LETTERS = {"f": "forward", "z": "zero_grad", "b": "backward", "s": "step", "c": "clip"}


@dataclass(frozen=True)
class Look:
    """How one part of a step is found in a run, and told."""

    part: str
    values: Callable[[Track, Track], Mapping[int, Numbers]]
    """By step, in the first run; the second is the one beside it."""
    told: Callable[[Numbers, Numbers], str]
    partial: bool = False
    """Whether a run may have recorded less of it than the other, as one that ends in the middle of a step does."""


def along(good: Track, bad: Track, comparable: str = "") -> Iterator[PathPart]:
    """Every part from the first weights on; `comparable` says why single numbers cannot be compared, if so."""
    yield from begun(good, bad, comparable)
    tolerance = ON_CPU if "cpu" in _devices(good) and _devices(good) == _devices(bad) else ELSEWHERE
    firsts: dict[str, PathPart] = {}
    for look in LOOKS:
        firsts[look.part] = _first(look, good, bad, tolerance, comparable)
    # Within a step the order is that of the way; over steps, what differs earlier is not caused by what does later.
    known = [one for one in firsts.values() if one.state == "differs"]
    rank = {look.part: place for place, look in enumerate(LOOKS)}
    known.sort(key=lambda one: (one.step or 0, rank[one.part]))
    rest = [one for one in firsts.values() if one.state != "differs"]
    yield from (*[one for one in rest if not known or rank[one.part] < rank[known[0].part]], *known)
    yield from (one for one in rest if known and rank[one.part] >= rank[known[0].part])


def begun(good: Track, bad: Track, comparable: str) -> Iterator[PathPart]:
    """Seeds, and the weights before the first step."""
    if good.seeds != bad.seeds and good.record.tells_absence and good.steps and bad.steps:
        yield PathPart("seeds", "differs", _settings(good.seeds, bad.seeds))
    one, two = good.weights, bad.weights
    part = "initial weights"
    if one is None or two is None:
        yield PathPart(part, "unknown", "not recorded")
        return
    if one.shapes != two.shapes:
        yield PathPart(part, "differs", _shapes(one, two))
    elif comparable:
        yield PathPart(part, "unknown", comparable)
    elif not one.norms or not two.norms:
        yield PathPart(part, "unknown", "not recorded")
    else:
        others = [i for i, (a, b) in enumerate(zip(one.norms, two.norms, strict=False)) if not same(a, b, ON_CPU)]
        words = f"{len(others)} of {len(one.norms)} parameters begin elsewhere" if others else ""
        words += f", {two.names[others[0]]} first" if others and others[0] < len(two.names) else ""
        yield PathPart(part, "differs" if others else "same", words)


def _first(look: Look, good: Track, bad: Track, tolerance: float, comparable: str) -> PathPart:
    """The first step at which one part differs."""
    if comparable and look.part not in ("optimizer", "learning rate", "loop order", "clipping"):
        return PathPart(look.part, "unknown", comparable)
    ours, theirs = look.values(good, bad), look.values(bad, good)
    steps = sorted(ours.keys() & theirs.keys())
    if not steps:
        return PathPart(look.part, "unknown", "not recorded in both")
    for step in steps:
        one, two = ours[step], theirs[step]
        if look.partial:
            one, two = one[: len(two)], two[: len(one)]
        if len(one) != len(two) or not all(same(a, b, tolerance) for a, b in zip(one, two, strict=True)):
            return PathPart(look.part, "differs", look.told(one, two), step, bad.place(look.part, step))
    return PathPart(look.part, "same")


def same(one: float | str | None, two: float | str | None, tolerance: float) -> bool:
    if not isinstance(one, (int, float)) or not isinstance(two, (int, float)):
        return one == two
    if math.isnan(one) or math.isnan(two):
        return math.isnan(one) and math.isnan(two)
    return one == two or abs(one - two) <= tolerance * max(abs(one), abs(two))


def _devices(track: Track) -> str:
    return str(track.surroundings.get("devices"))


def _shapes(one: Weights, two: Weights) -> str:
    """The first parameter that is another one; how many there are, where that differs."""
    pairs = zip(one.names, one.shapes, two.names, two.shapes, strict=False)
    words = next((f"{name} {old} → {other} {new}" for name, old, other, new in pairs if old != new), "")
    count = f"{len(one.shapes)} → {len(two.shapes)} parameters" if len(one.shapes) != len(two.shapes) else ""
    return ", ".join(filter(None, (count, words)))


def _settings(one: Mapping[str, object], two: Mapping[str, object]) -> str:
    differ = [key for key in {**one, **two} if one.get(key) != two.get(key)]
    words = [f"{key} {_value(one.get(key))} → {_value(two.get(key))}" for key in differ[:SHOWN]]
    return ", ".join(words) + (f" and {len(differ) - SHOWN} more" if len(differ) > SHOWN else "")


def _value(value: object) -> str:
    return "none" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _samples(one: Numbers, two: Numbers) -> str:
    if len(one) != len(two):
        return f"{len(one)} samples → {len(two)}"
    if sorted(map(str, one)) == sorted(map(str, two)):
        return "the same samples in another order"
    others = sum(a != b for a, b in zip(one, two, strict=True))
    return f"{others} of {len(one)} samples are others"


def _labels(one: Numbers, two: Numbers) -> str:
    if len(one) != len(two) or any(isinstance(value, str) for value in one):
        return _numbers(one, two)
    others = sum(a != b for a, b in zip(one, two, strict=True))
    pairs = [(a, b) for a, b in zip(one, two, strict=True) if a != b]
    return f"{others} of {len(one)} are others, {_value(pairs[0][0])} → {_value(pairs[0][1])} first"


def _numbers(one: Numbers, two: Numbers) -> str:
    if len(one) != len(two):
        return f"{len(one)} → {len(two)} values"
    a, b = next((a, b) for a, b in zip(one, two, strict=True) if not same(a, b, ON_CPU))
    return f"{_value(a)} → {_value(b)}"


def _order(one: Numbers, two: Numbers) -> str:
    words = (", ".join(LETTERS.get(letter, letter) for letter in str(side[0])) for side in (one, two))
    return " → ".join(words)


def _optimizer(track: Track, other: Track) -> Mapping[int, Numbers]:
    made = tuple(f"{key}={_value(value)}" for key, value in sorted(track.settings.items()) if key != "lr")
    return {0: made} if made else {}


def _targets(track: Track, other: Track) -> Mapping[int, Numbers]:
    """Labels where both runs have them; else what both know of their targets."""
    return track.labels if track.labels and other.labels else track.targets


def _made(one: Numbers, two: Numbers) -> str:
    ours, theirs = (dict(str(word).split("=", 1) for word in side) for side in (one, two))
    return _settings(ours, theirs)


LOOKS = (
    Look("inputs", lambda one, _: one.inputs, _samples),
    Look("targets", _targets, _labels, partial=True),
    Look("outputs", lambda one, _: one.outputs, _numbers, partial=True),
    Look("loss", lambda one, _: one.losses, _numbers),
    Look("gradients", lambda one, _: one.gradients, _numbers),
    Look("clipping", lambda one, _: one.clipping, _numbers),
    Look("optimizer", _optimizer, _made),
    Look("learning rate", lambda one, _: one.rates, _numbers),
    Look("updates", lambda one, _: one.updates, _numbers),
    Look("loop order", lambda one, _: one.order, _order),
)
"""One step, in the order in which each part follows from those before it."""
