"""What is measured, one function per table."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from statistics import median

from cost import commands, events
from cost.commands import Failed
from cost.ratios import Pair, Ratio, Spread, ratio, spread


@dataclass(frozen=True)
class Bounds:
    """How one comparison is measured."""

    blocks: tuple[int, int]
    """Steps per block without and with the tool."""
    warm: int
    """Steps with the tool before the comparison begins."""
    seconds: float
    pairs: int = 4


@dataclass(frozen=True)
class Compared:
    """One tool on one program, or why there is no number."""

    program: str
    tool: str
    ratio: Ratio | None
    steps: int = 0
    """Steps with the tool after the warm-up."""
    first: float = 0.0
    """Seconds of processor time of a step of the warm-up, with the tool."""
    counts: events.Counts | None = None
    why: str = ""


@dataclass(frozen=True)
class Whole:
    """Whole commands with and without the observer."""

    program: str
    steps: int
    plain: float
    ratio: Spread
    extra: Spread
    pairs: int


@dataclass
class Results:
    """All that the page is written from."""

    machine: dict[str, str] = field(default_factory=dict)
    interleaved: list[Compared] = field(default_factory=list)
    noise: list[Compared] = field(default_factory=list)
    peers: list[Compared] = field(default_factory=list)
    parameters: list[Compared] = field(default_factory=list)
    layers: list[Compared] = field(default_factory=list)
    whole: list[Whole] = field(default_factory=list)
    start: Whole | None = None


def compare(program: str, tool: str, bounds: Bounds, python: str = sys.executable) -> Compared:
    """Alternate blocks of steps without and with a tool in one process."""
    request = {
        "name": program,
        "tool": tool,
        "warm": bounds.warm,
        "blocks": bounds.blocks,
        "seconds": bounds.seconds,
        "pairs": bounds.pairs,
    }
    counts = None
    try:
        if tool == "stetho":
            with commands.recording() as (written, environment):
                output = commands.ask("interleaved.py", request, environment, python)
                counts = events.count(written, json.loads(output.splitlines()[-1])["warm"])
        else:
            output = commands.ask("interleaved.py", request, commands.plain_environment(), python)
    except (Failed, OSError) as error:
        return Compared(program, tool, None, why=str(error))
    answer = json.loads(output.splitlines()[-1])
    pairs: list[Pair] = [tuple(p) for p in answer["pairs"]]
    return Compared(program, tool, ratio(pairs), answer["steps"], answer["first"], counts)


def whole(program: str, steps: int, pairs: int) -> Whole:
    """Start the same command with and without the observer in turn, and compare its user time."""
    return _commands([str(commands.HERE / "programs.py"), program, str(steps)], program, steps, pairs)


def start(pairs: int) -> Whole:
    """What is paid before the first step: a process that imports torch and ends."""
    commands.run([sys.executable, "-c", "import torch"], commands.plain_environment())  # Fills the disk's caches.
    return _commands(["-c", "import torch"], "import torch", 0, pairs)


def _commands(arguments: list[str], program: str, steps: int, pairs: int) -> Whole:
    command = [sys.executable, *arguments]
    timed: list[Pair] = []
    for number in range(pairs):
        used: dict[bool, commands.Used] = {}
        for observe in (False, True) if number % 2 else (True, False):
            if observe:
                with commands.recording() as (_, environment):
                    used[observe] = commands.run(command, environment)
            else:
                used[observe] = commands.run(command, commands.plain_environment())
        off, on = used[False], used[True]
        timed.append((off.user, on.user, off.user + off.system, on.user + on.system))
    return Whole(
        program,
        steps,
        plain=median(p[0] for p in timed),
        ratio=spread(timed, lambda chosen: median(p[1] / p[0] for p in chosen)),
        extra=spread(timed, lambda chosen: median(p[3] - p[2] for p in chosen)),
        pairs=pairs,
    )
