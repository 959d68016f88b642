"""Which device computes, and how busy it is.

## Why it is asked
A run on the wrong device, or on one that is idle, is slow for a reason that no curve shows.

## How it is answered
From the types as they were observed, or from what the accelerators said of themselves.
"""

from stetho.answers import amounts, number
from stetho.facts import Gpus, Types
from stetho.question import Question, Way


def from_types(types: Types, step: int | None) -> str:
    return f"parameters on {amounts(types.devices)}" if types.devices else ""


def from_devices(found: Gpus, step: int | None) -> str:
    told = [f"{one.name} {number(sum(one.use) / len(one.use))} % busy" for one in found.gpus[:4] if one.use]
    return ", ".join(told)


device_used = Question(
    id="device-used",
    short="device",
    asks="Which device does it compute on, and how busy is that?",
    about=("slow-training", "hang", "memory-growing"),
    ways=(
        Way(
            Gpus,
            from_devices,
            {
                "idle": ({"gpus": [{"index": 0, "name": "A100", "use": [0, 4]}]}, None, "A100 2 % busy"),
                "none": ({"gpus": []}, None, ""),
            },
        ),
        Way(
            Types,
            from_types,
            {
                "the processor": ({"devices": [{"kind": "cpu", "elements": 10}]}, None, "parameters on cpu"),
                "not seen": ({}, None, ""),
            },
        ),
    ),
    otherwise="`stetho probe --pid N` while it runs, or nvidia-smi",
)
