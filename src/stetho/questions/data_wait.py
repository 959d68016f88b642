"""How much of a step is waiting for data.

## Why it is asked
An accelerator that waits for its batches gets no faster by anything that is done to the model.

## How it is answered
From the steps as they were observed, or from logged durations whose names say data or loading.
"""

import re

from stetho.answers import curves, number
from stetho.curves import finite
from stetho.facts import Metrics, StepTimes
from stetho.question import Question, Way

LOADING = re.compile(r"(^|[^a-z])(data|load|loading|loader|fetch|dataloader)([^a-z]|$)", re.IGNORECASE)


def from_steps(times: StepTimes, step: int | None) -> str:
    if times.wait_total is None or not times.total:
        return ""
    return f"{100 * times.wait_total / times.total:.0f} % of the time"


def from_log(metrics: Metrics, step: int | None) -> str:
    for curve in curves(metrics, "duration"):
        known = sorted(finite(curve.values))
        if LOADING.search(curve.name) and known:
            return f"{curve.name} {number(known[len(known) // 2])} in the median"
    return ""


data_wait = Question(
    id="data-wait",
    short="waiting for data",
    asks="How much of a step is spent waiting for the next batch?",
    about=("slow-training", "hang"),
    ways=(
        Way(
            StepTimes,
            from_steps,
            {
                "most of it": (
                    {"first": 1.0, "median": 1.0, "slowest": 1.0, "slowest_step": 1, "total": 10.0, "wait_total": 9.0},
                    None,
                    "90 % of the time",
                ),
                "no loader": (
                    {"first": 1.0, "median": 1.0, "slowest": 1.0, "slowest_step": 1, "total": 10.0},
                    None,
                    "",
                ),
            },
        ),
        Way(
            Metrics,
            from_log,
            {
                "logged": (
                    {"curves": [{"name": "data_time", "kind": "duration", "split": "", "file": "log", "points": 3,
                                 "steps": [1, 2, 3], "values": [0.5, 0.75, 0.9]}]},
                    None,
                    "data_time 0.75 in the median",
                ),
                "another duration": (
                    {"curves": [{"name": "update_time", "kind": "duration", "split": "", "file": "log", "points": 1,
                                 "steps": [1], "values": [0.5]}]},
                    None,
                    "",
                ),
            },
        ),
    ),
    otherwise="`stetho try loader-only -- COMMAND` measures it",
)  # fmt: skip
