"""Hold up every rank but the slow one, by most of what it waits for that one in each step.

## What changes
Before the first backward of each step, all ranks but one sleep for 0.7 of the time that they were seen to wait there.
Nothing that is computed is another.

## How it is known
The sleep is timed. Where work is queued on an accelerator, the queue is emptied first, so that it cannot hide there.

## What it tells
If the run takes no longer, the time of the other ranks does not count: all of them wait for the one. Where ranks share
cores, it may even be faster, as the one has them for itself meanwhile. If it gets slower by the sleep, they did not
wait: what lies between them is the exchange itself, or each goes its own way.

## When it says nothing
One process, ranks that come last by turns, and waits that are short beside a step.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it take as long when all ranks but one are held up?"
applies = "several ranks of which one comes last"
by_hand = False
values = {"": "the rank that comes last, and most of what the others wait for it", "RANK:SECONDS": "all but this rank"}
example = "1:0.02"
alters = "slack"
somewhere = True
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.02, "same": 0.05, "worse": 0.89, "new-failure": 0.03}}
# Of the wait, how much is slept; and of a step, how much that must be for the speed to tell.
PART, LEAST = 0.7, 0.2


def read(value: str) -> tuple[int, float]:
    """The rank that is left alone, and for how long each other one is held up."""
    rank, _, seconds = (value or "0:0").partition(":")
    number, amount = int(rank), float(seconds)
    if number < 0 or not 0 <= amount < 3600:
        raise ValueError("a rank and seconds are wanted, as in 1:0.02")
    return number, amount


def chosen(facts: Mapping[str, Any]) -> str:
    """The rank that comes last most often, and what every other one can spare."""
    waiting = facts.get("rank-waiting")
    if waiting is None or len(waiting.arrivals) < 2:
        return "0:0"
    last = max(waiting.arrivals, key=lambda one: one.last)
    return f"{last.rank}:{PART * waiting.spare:.5f}"


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether what the others can spare is enough of a step to be felt if they cannot."""
    times = facts.get("step-times")
    _, spare = read(chosen(facts))
    return times is not None and spare > 0 and spare >= LEAST * times.median


def apply(run: Run, value: str) -> None:
    """Sleep once in each step, before its first backward."""
    torch = run.torch
    slow, seconds = read(value)
    due = [True]

    @run.on_backward
    def hold_up(losses: Any) -> None:
        group = torch.distributed
        if not (group.is_available() and group.is_initialized() and group.get_world_size() > 1):
            run.refused("there is only one rank")
            return
        if group.get_rank() == slow or not due[0] or not seconds:
            return
        due[0] = False
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()
        begun = time.perf_counter()
        time.sleep(seconds)
        run.applied()
        if time.perf_counter() - begun >= seconds:
            run.verified()

    @run.on_step_over
    def next_step(optimizer: Any) -> None:
        due[0] = True
