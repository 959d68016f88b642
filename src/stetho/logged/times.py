"""What a logged time is of, by its words and unit: a whole step, a wait for data or for other ranks, computing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from stetho.logged.roles import TRAINING, VALIDATION, WORDS

Part: TypeAlias = Literal["step", "data", "peer", "compute", "rate", "use", "held", "room"]

TIMES = frozenset({
    "time", "times", "duration", "seconds", "secs", "sec", "s", "ms", "msec", "us", "wait", "waiting", "waited",
    "stall",
    "dt", "latency", "took", "blocked",
})  # fmt: skip
STEP = frozenset(["step", "steps", "iter", "iters", "iteration", "iterations", "it", "batch", "update"])
DATA = frozenset([
    "data", "dataload", "dataloading", "dataloader", "loader", "load", "loading", "fetch", "fetching", "input",
    "inputs", "datatime",
])  # fmt: skip
PEER = frozenset([
    "allreduce", "allgather", "reducescatter", "reduce", "comm", "comms", "communication", "sync", "synchronize",
    "barrier", "collective", "collectives", "nccl", "peers", "exchange", "gather",
])  # fmt: skip
COMPUTE = frozenset(["compute", "computation", "computing", "forward", "backward", "fwd", "bwd", "kernel", "fb"])
# A time that is counted from the start, or to the end.
CUMULATIVE = frozenset(
    ["elapsed", "total", "eta", "remaining", "wall", "start", "since", "cumulative", "left", "epoch"]
)
RATES = frozenset(["throughput", "tps", "wps", "ups", "tgs", "sps", "qps", "ips"])
PER_SECOND = re.compile(
    r"(?:per|/)[ _]?(?:s|sec|secs|second)(?:$|[^a-z])"
    r"|(?:^|[^a-z])(?:it|its|iters|steps|tok|toks|tokens|samples|imgs|images|seqs|frames|examples|batches|words)_s$"
)
# What is measured and not made in a second.
NOT_MADE = frozenset(["loss", "lr", "acc", "accuracy", "grad", "norm", "bytes", "mb", "gb", "mib", "gib"])
# How a tracker names the use of a device.
DEVICE_USE = re.compile(r"gpu[._/]?\d+[._/]gpu$")
PER_STEP = re.compile(r"^(?:s|sec|secs|seconds|ms)[ _]?(?:/|per)[ _]?(?:it|iter|iters|iteration|step|batch)$")


@dataclass(frozen=True)
class TimeOf:
    """What a number is of, and how many seconds it counts in."""

    part: Part
    unit: float = 1.0


@lru_cache(4096)
def time_of(name: str) -> TimeOf | None:
    """What a series tells of the run's speed; None when it is of something else, or of validation."""
    plain = name.lower().strip()
    words = [word.lower() for word in WORDS.findall(name) if word.lower() not in TRAINING]
    known = {*words, "".join(words)}
    if VALIDATION.intersection(words):
        return None
    if "gpu" in re.sub(r"\d", "", plain) and known & {"utilization", "util", "usage", "utilisation"}:
        return None if known & {"memory", "mem"} else TimeOf("use")
    if DEVICE_USE.search(plain):
        return TimeOf("use")
    if PER_STEP.match(plain):
        return TimeOf("step", 1e-3 if plain.startswith("ms") else 1.0)
    if (known & RATES or PER_SECOND.search(plain)) and not known & NOT_MADE:
        return TimeOf("rate")
    if known == {"data"}:
        # Beside a column called time, a column called data is the part of it that loading took.
        return TimeOf("data")
    if known & CUMULATIVE and not known & {"per"}:
        return None
    return of_a_duration(known)


def of_a_duration(known: set[str]) -> TimeOf | None:
    unit = 1e-3 if known & {"ms", "msec", "milliseconds"} else 1e-6 if "us" in known else 1.0
    timed = bool(known & TIMES)
    if known & DATA and timed:
        return TimeOf("data", unit)
    if known & PEER and timed:
        return TimeOf("peer", unit)
    if known & COMPUTE and (timed or len(known) <= 2):
        return TimeOf("compute", unit)
    if (known & STEP and timed) or known <= {"time", "dt", "ms", "timems", "dtms"}:
        return TimeOf("step", unit)
    return None
