"""How much memory it took, and whether that grew.

## Why it is asked
Memory that grows step by step is a leak; memory that was short from the start is a size.

## How it is answered
From the process as it was observed, or from logged memory.
"""

from stetho.answers import course, curves, number
from stetho.facts import Memory, Metrics
from stetho.question import Question, Way


def from_process(memory: Memory, step: int | None) -> str:
    if not memory.resident:
        return ""
    first, last = (number(round(one / 1e6)) for one in (memory.resident[0], memory.resident[-1]))
    device = f", {number(round(memory.device_highest / 1e6))} MB of the device" if memory.device_highest else ""
    return f"{first} MB at first, {last} MB at last{device}"


def from_log(metrics: Metrics, step: int | None) -> str:
    for curve in curves(metrics, "memory"):
        told = course(curve.steps, curve.values, None)
        if told:
            return f"{curve.name} {told}"
    return ""


memory_use = Question(
    id="memory-use",
    short="memory",
    asks="How much memory did it use at first, and at last?",
    about=("memory-growing", "killed", "crash"),
    ways=(
        Way(
            Memory,
            from_process,
            {
                "grows": (
                    {"steps": [0, 9], "resident": [500_000_000, 900_000_000], "highest": 900_000_000},
                    None,
                    "500 MB at first, 900 MB at last",
                ),
                "nothing": ({"steps": [], "resident": [], "highest": 0}, None, ""),
            },
        ),
        Way(
            Metrics,
            from_log,
            {
                "logged": (
                    {"curves": [{"name": "memory_gb", "kind": "memory", "split": "", "file": "log", "points": 2,
                                 "steps": [1, 2], "values": [10.0, 20.0]}]},
                    None,
                    "memory_gb 10 at first, 20 at step 2",
                ),
                "not logged": ({"curves": []}, None, ""),
            },
        ),
    ),
    otherwise="`stetho run -- COMMAND` records it",
)  # fmt: skip
