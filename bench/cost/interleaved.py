"""Times alternating blocks of steps without and with a tool, in one process; prints one line of JSON.

Started by `bench/overhead.py` with a request: the program's name, the tool, steps to begin with, steps per block
without and with the tool, and for how long.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from peers import PEERS, Arms, idle


@dataclass(frozen=True)
class Block:
    """Processor and wall time of some steps."""

    steps: int
    cpu: float
    wall: float


def timed(step: Callable[[], None], count: int, busy: Callable[[], bool] = idle) -> Block:
    """Take so many steps, and more while a tool is busy."""
    done = 0
    wall, cpu = time.perf_counter(), time.process_time()
    while done < count or busy():
        step()
        done += 1
    return Block(done, time.process_time() - cpu, time.perf_counter() - wall)


def watched(arms: Arms, count: int) -> Block:
    arms.enter()
    taken = timed(arms.watched, count, arms.busy)
    arms.leave()
    return taken


def measure(arms: Arms, request: dict[str, Any]) -> dict[str, Any]:
    """First steps with the tool, then pairs of blocks in the order A B B A, until the time is over."""
    first = watched(arms, request["warm"])
    plain, observed = request["blocks"]
    timed(arms.plain, plain)
    pairs: list[tuple[float, float, float, float]] = []
    steps = 0
    end = time.perf_counter() + request["seconds"]
    while len(pairs) < request["pairs"] or time.perf_counter() < end:
        if len(pairs) % 2:
            on = watched(arms, observed)
            off = timed(arms.plain, plain)
        else:
            off = timed(arms.plain, plain)
            on = watched(arms, observed)
        steps += on.steps
        pairs.append((off.cpu / off.steps, on.cpu / on.steps, off.wall / off.steps, on.wall / on.steps))
    arms.enter()  # What a tool writes at the end of a run, it writes only while it is on.
    return {"first": first.cpu / first.steps, "warm": first.steps, "steps": steps, "pairs": pairs}


def main() -> None:
    request = json.loads(sys.argv[1])
    torch.set_num_threads(1)
    arms = PEERS[request["tool"]](request["name"])
    sys.stdout.write("\n" + json.dumps(measure(arms, request)) + "\n")


if __name__ == "__main__":
    main()
