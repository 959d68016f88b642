"""Change one argument of the program.

## What changes
Where the command has the argument, its value is replaced in place, whether it is written `--name value`, `--name=value`
or `name=value`. Where it has not, it is added at the end. What stands before the script belongs to Python or to a
launcher and is left alone.

## How it is known
The process that trains reads its own arguments and finds the new one.

## What it tells
Whether the symptom follows a setting that the program itself offers.

## When it says nothing
Programs that pass over the argument, or start their training with arguments of their own.
"""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the argument?"
applies = "programs that read their command line"
values = {
    "--NAME=VALUE": "an option",
    "--NAME VALUE": "the same in two words",
    "--NAME": "a switch",
    "NAME=VALUE": "a setting in the style of Hydra",
}
example = "--lr=0.01"
# Modules that start another script; what is theirs stands before it.
LAUNCHERS = ("torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch")


def read(value: str) -> tuple[str, str | None, str]:
    """The name of the argument, its value, and what joins the two."""
    words = shlex.split(value)
    if not words or len(words) > 2 or (len(words) == 2 and not words[0].startswith("-")):
        raise ValueError("an argument is one option with its value")
    if len(words) == 2:
        return words[0], words[1], " "
    name, equals, new = words[0].partition("=")
    if not name.strip("-") or (not equals and not name.startswith("-")):
        raise ValueError("an argument has a name")
    return name, new if equals else None, equals


def first_of_program(command: list[str]) -> int:
    """Where the program's own arguments begin: behind its script, its module or its own name."""
    for at, word in enumerate(command[1:], 1):
        if word.endswith(".py"):
            return at + 1
        if command[at - 1] in ("-m", "--module") and word not in LAUNCHERS:
            return at + 1
    return 1


def prepare(command: list[str], environment: dict[str, str], value: str) -> tuple[list[str], dict[str, str]]:
    """The command with the argument replaced, or added."""
    name, new, joint = read(value)
    begins = first_of_program(command)
    changed = list(command)
    for at in range(len(command) - 1, begins - 1, -1):
        word = command[at]
        if word == name and new is None:
            raise ValueError(f"{name} is there already")
        if word == name and joint and new is not None and name.startswith("-") and at + 1 < len(command):
            changed[at + 1] = new
            return changed, environment
        if new is not None and word.startswith(("+", name)) and word.lstrip("+").startswith(f"{name}="):
            changed[at] = f"{word.partition('=')[0]}={new}"
            return changed, environment
    added = [name] if new is None else [name, new] if joint == " " else [f"{name}={new}"]
    return changed + added, environment


def apply(run: Run, value: str) -> None:
    """Look for the argument among those that the process was started with."""
    name, new, _ = read(value)
    words = sys.argv[1:]
    pairs = [(words[at], words[at + 1]) for at in range(len(words) - 1)]
    joined = any(word.lstrip("+") == f"{name}={new}" for word in words)
    run.applied()
    if (name in words) if new is None else (joined or (name, new) in pairs):
        run.verified()
    else:
        run.contradicted("the process that trains was started without the argument")
