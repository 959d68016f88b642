"""Set an environment variable.

## What changes
The program and everything that it starts get the variable with this value; all else is left as it is.

## How it is known
The process that trains reads the variable when it meets torch, and again after each of the first steps.

## What it tells
Whether the symptom follows the variable: a number of threads, a backend, a debugging switch.

## When it says nothing
Programs that set the variable themselves, or read it before they can be observed and never again.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the environment variable?"
applies = "any program"
values = {"NAME=VALUE": "the variable and its value"}
example = "OMP_NUM_THREADS=2"


def read(value: str) -> tuple[str, str]:
    """Name and value."""
    name, equals, new = value.partition("=")
    if not name or not equals or "\0" in value:
        raise ValueError("a variable is written NAME=VALUE")
    return name, new


def prepare(command: list[str], environment: dict[str, str], value: str) -> tuple[list[str], dict[str, str]]:
    """The same command with the variable set."""
    name, new = read(value)
    if {**os.environ, **environment}.get(name) == new:
        raise ValueError(f"{name} has that value already")
    return command, {**environment, name: new}


def apply(run: Run, value: str) -> None:
    """See whether the variable has arrived, and stays."""
    name, new = read(value)
    run.applied()
    if os.environ.get(name) == new:
        run.verified()

    @run.on_step_over
    def still_there(optimizer: Any) -> None:
        if run.steps(optimizer) < 3 and os.environ.get(name) != new:
            run.contradicted(f"the program sets {name} itself")
