"""Train on no window that overlaps those of the last third of the time.

## What changes
From the second pass over the training data on, the last third of the time that its windows cover is left out, or every
third series where there are many short ones: windows that share values with it are taken out of each training batch,
input and target alike, and others stand in for them. Which windows follow on each other is told by the values they
share. Evaluation is left alone.

## How it is known
What the model was called with holds no window that was taken out.

## What it tells
Held-out windows of that time then have no overlapping one in training, as in use. If held-out errors grow by clearly
more than so much less data explains, they were small because near copies had been trained on.

## When it says nothing
Samples that are no windows of a series, or that come once; windows that are normalised one by one share no values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "How good is it on a time of which nothing was trained on?"
applies = "models called with tensors of windows of a series"
by_hand = False
values = {"": "the last third of the time"}
alters = "error"
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.02, "same": 0.91, "worse": 0.04, "new-failure": 0.02}}
# Values in a row by which windows are known to overlap, windows that are looked at, and the fewest.
STRETCH, MOST, LEAST = 6, 20_000, 60
# One part in so many is left out.
ONE_IN = 3


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether held-out windows were seen to overlap those of training."""
    found = facts.get("series-windows")
    return found is not None and found.among_held_out > 0.05 * found.held_out


class Axis:
    """The windows of the first pass, each with its place in time, found by the values that they share."""

    def __init__(self) -> None:
        self.windows: list[list[int]] = []
        self.seen: set[str] = set()

    def add(self, prints: list[str], keys: list[list[int]]) -> None:
        for row, one in enumerate(prints):
            if one not in self.seen and len(self.windows) < MOST:
                self.seen.add(one)
                self.windows.append(keys[row])

    def left_out(self) -> set[int]:
        """The values in a row that lie in the stretches of time to be left out."""
        where: dict[int, list[tuple[int, int]]] = {}
        for number, window in enumerate(self.windows):
            for place, key in enumerate(window):
                if key:
                    where.setdefault(key, []).append((number, place))
        found: set[int] = set()
        placed: dict[int, int] = {}
        short = 0
        for first in range(len(self.windows)):
            if first not in placed:
                places = self.follow(first, where, placed)
                span = max(places.values()) - min(places.values())
                if span >= ONE_IN * len(self.windows[first]):
                    found |= self.after(places, span)
                elif span:
                    short += 1
                    found |= self.after(places, -1) if short % ONE_IN == 0 else set()
        return found

    def follow(self, first: int, where: dict[int, list[tuple[int, int]]], placed: dict[int, int]) -> dict[int, int]:
        """The windows that hang together with one, each with its place in time."""
        placed[first], ahead, mine = 0, [first], {first: 0}
        while ahead:
            number = ahead.pop()
            for place, key in enumerate(self.windows[number]):
                # One look is enough: whoever shares these values has them all in one list.
                for other, there in where.pop(key, ()) if key else ():
                    if other not in placed:
                        placed[other] = mine[other] = placed[number] + place - there
                        ahead.append(other)
        return mine

    def after(self, places: dict[int, int], span: int) -> set[int]:
        """What lies in the last part of one series; all of it where no span is given."""
        last = min(places.values()) + span * (ONE_IN - 1) // ONE_IN if span > 0 else min(places.values())
        return {
            key
            for number, begin in places.items()
            for place, key in enumerate(self.windows[number])
            if key and begin + place >= last
        }


def apply(run: Run, value: str) -> None:
    """Lay out the windows while they come for the first time, and choose among them from then on."""
    torch, axis = run.torch, Axis()
    state: dict[str, Any] = {"out": None}
    taken: set[str] = set()
    good: dict[tuple[int, int], str] = {}

    def keys_of(rows: Any) -> list[list[int]]:
        """A number for each few values in a row, 0 for those that are all the same."""
        flat = rows.detach().reshape(rows.shape[0], -1).float().cpu()
        if flat.shape[1] < 2 * STRETCH:
            return []
        parts = flat.unfold(1, STRETCH, 1).contiguous()
        whole = parts.view(torch.int32).to(torch.int64)
        weights = torch.arange(1, STRETCH + 1) * 0x9E3779B97F4A7C1 | 1
        mixed = whole * weights
        sums = ((mixed ^ (mixed >> 31)) * 0x2545F4914F6CDD1D).sum(dim=2)
        alike = (parts == parts[:, :, :1]).all(dim=2)
        return [list(map(int, line)) for line in sums.masked_fill(alike, 0)]

    def choose(call: int, prints: list[str]) -> list[tuple[int, int]] | None:
        rows_now = rows.calls[call].tensors.get(rows.path or ())
        keys = keys_of(rows_now) if rows_now is not None else []
        if not keys:
            run.refused("samples are too short to be windows of a series")
            return None
        if state["out"] is None:
            again = sum(one in axis.seen for one in prints) > len(prints) / 2
            axis.add(prints, keys)
            if not again or len(axis.seen) < LEAST:
                run.refused("every sample has come once so far")
                return None
            state["out"] = axis.left_out()
            if not state["out"]:
                run.refused("samples do not follow on each other in time")
        bad = [any(key in state["out"] for key in window) for window in keys]
        good.update({(call, row): one for row, one in enumerate(prints) if not bad[row]})
        here = [(call, row) for row, out in enumerate(bad) if not out]
        stand_ins = here or [source for source in rows.pool() if source in good]
        if not any(bad) or not stand_ins:
            return None
        taken.update(one for row, one in enumerate(prints) if bad[row])
        run.applied()
        return [stand_ins[row % len(stand_ins)] if out else (call, row) for row, out in enumerate(bad)]

    def entered(prints: list[str]) -> None:
        if not taken.intersection(prints):
            run.verified()
        else:
            run.contradicted("a window that was taken out reached the model")

    rows = run.on_rows(choose, entered)
