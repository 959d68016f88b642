"""How long a step takes, and how long it took at first.

## Why it is asked
A run that slows down has another fault than one that was always slow.

## How it is answered
From the steps as they were observed, from a logged pace, or from the times of the lines.
"""

from stetho.answers import course, number
from stetho.facts import Pace, StepTimes
from stetho.question import Question, Way


def from_steps(times: StepTimes, step: int | None) -> str:
    slowest = f", the slowest {number(times.slowest)} s at step {times.slowest_step}"
    return f"{number(times.median)} s a step{slowest}"


def from_log(pace: Pace, step: int | None) -> str:
    told = course(pace.steps, pace.seconds, None)
    gap = f", longest silence {number(pace.longest_gap)} s" if pace.longest_gap else ""
    return f"seconds a step: {told}{gap}" if told else ""


speed = Question(
    id="speed",
    short="pace",
    asks="How long does a step take, and how long did it take at first?",
    about=("slow-training", "hang", "memory-growing"),
    ways=(
        Way(
            StepTimes,
            from_steps,
            {
                "steady": (
                    {"first": 2.0, "median": 0.5, "slowest": 0.75, "slowest_step": 7, "total": 10.0},
                    None,
                    "0.5 s a step, the slowest 0.75 s at step 7",
                ),
            },
        ),
        Way(
            Pace,
            from_log,
            {
                "slows down": (
                    {"steps": [0, 100], "seconds": [0.5, 2.0], "longest_gap": 30.0},
                    None,
                    "seconds a step: 0.5 at first, 2 at step 100, longest silence 30 s",
                ),
                "nothing": ({"steps": [], "seconds": []}, None, ""),
            },
        ),
    ),
    otherwise="log a time with every line",
)
