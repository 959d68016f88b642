"""Run with edited files, which somebody else has changed, and see that the program really uses them.

## What changes
Nothing here: the files are edited in the scratch before the program starts. This only looks.

## How it is known
An edited file was imported, is the program itself, or was opened by it.

## What it tells
Whether the edit had any part in the run; without that, nothing about the edit can be said.

## When it says nothing
Edits of files that the program uses only through another process that is no Python.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does this edit cure it?"
applies = "files that the program imports or opens"
values = {"FILES": "their names, as a JSON list"}
by_hand = False


def apply(run: Run, value: str) -> None:
    """Look at what was imported, and listen to what is opened."""
    wanted = [run.here(file) for file in json.loads(value)]
    opened: set[str] = set()
    # Where each really is; looking that up takes time, so it is done once.
    real: dict[str, str] = {}
    used: set[str] = set()

    def listen(event: str, args: Any) -> None:
        if event == "open" and args and isinstance(args[0], str) and len(opened) < 10_000:
            opened.add(args[0])

    def look() -> None:
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str):
                opened.add(file)
        for path in [path for path in opened if path not in real]:
            real[path] = os.path.realpath(path)
        found = set(real.values())
        for name in wanted:
            if name not in used and os.path.realpath(name) in found:
                used.add(name)
                run.applied()
                run.verified()

    sys.addaudithook(listen)

    @run.on_report
    def report() -> None:
        if len(used) < len(wanted):
            look()
        if not used:
            run.refused(f"the program has not used {', '.join(os.path.basename(w) for w in wanted[:3])}")
