"""Files written whole or not at all, here or by a process that nobody waits for."""

from __future__ import annotations

import json
import os
import signal
from typing import Any

import torch

from ..twin import alone, reap, refusal

# Seconds after which a writer that hangs is ended.
PATIENCE = 120


def write(files: list[tuple[str, Any]], here: bool) -> None:
    """Write each body to its path in turn: a `.json` as such, others as torch does."""
    os.makedirs(os.path.dirname(files[0][0]), exist_ok=True)
    if here or refusal() is not None:
        put(files)
        return
    child = os.fork()
    if child == 0:
        # A child of the child: its end is noticed by nobody, and nobody has to wait for it.
        try:
            if os.fork() == 0:
                in_writer(files)
        finally:
            os._exit(0)
    reap(child)


def in_writer(files: list[tuple[str, Any]]) -> None:
    """Let go of everything that is the program's, write, vanish."""
    alone()
    signal.alarm(PATIENCE)
    torch.set_num_threads(1)
    put(files)


def put(files: list[tuple[str, Any]]) -> None:
    """Write under another name first, so that a file that is there is whole."""
    for path, body in files:
        part = f"{path}.part"
        if path.endswith(".json"):
            with open(part, "w", encoding="utf-8") as out:
                json.dump(body, out)
        else:
            torch.save(body, part)
        os.replace(part, path)


def remove(path: str) -> None:
    """Take a file away, if it is there."""
    try:
        os.remove(path)
    except OSError:
        return


def named_in(record: str) -> list[str]:
    """The files that an earlier record names, which a new one makes useless."""
    try:
        with open(record, encoding="utf-8") as given:
            body = json.load(given)
    except (OSError, ValueError):
        return []
    return [os.path.join(os.path.dirname(record), body[key]) for key in ("checkpoint", "batches")]
