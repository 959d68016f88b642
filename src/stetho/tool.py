"""Tools of the system that only read, asked within a time: what they print, or why they say nothing."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass

MOST = 4 * 1024 * 1024


@dataclass(frozen=True)
class Said:
    """What a command printed, or why it said nothing."""

    command: str
    out: str = ""
    failure: str = ""

    @property
    def ok(self) -> bool:
        return not self.failure


def ask(*command: str, limit: float = 1.5) -> Said:
    """The output of a tool that only reads; a missing tool, an error and a tool that hangs are all told."""
    told = " ".join(command)
    if shutil.which(command[0]) is None:
        return Said(told, failure=f"{command[0]} is not installed")
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return Said(told, failure=f"{command[0]} did not answer within {limit:g} s")
    except OSError as error:
        return Said(told, failure=f"{command[0]} cannot be run: {error.strerror or error}")
    out = done.stdout[:MOST].decode("utf-8", "backslashreplace")
    if done.returncode != 0:
        why = " ".join((done.stderr or done.stdout).decode("utf-8", "backslashreplace").split())[:200]
        return Said(told, out, f"{command[0]} failed with code {done.returncode}{': ' if why else ''}{why}")
    return Said(told, out)
