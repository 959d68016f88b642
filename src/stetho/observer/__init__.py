"""The observer: loaded inside the user's interpreter, where it watches torch and changes nothing.

It imports the standard library and the user's own torch, nothing else, and keeps to Python 3.9. It is
started by `inject/sitecustomize.py`, reads its orders from the file named by STETHO_PLAN, and writes one
JSON line per event into the recording directory, one file per process.
"""

from __future__ import annotations

import json
import os

from . import arrival, guard
from .journal import Journal


def start(plan_file: str) -> None:
    """Wait for torch to be imported, then attach to it."""
    with open(plan_file, encoding="utf-8") as handle:
        plan = json.load(handle)
    journal = Journal(plan["recording"], plan.get("roots", []))
    guard.journal = journal
    arrival.seed_everything(int(plan["seed"]))
    arrival.when_imported("numpy", lambda module: arrival.seed_numpy(module, int(plan["seed"])))

    def attach(_torch: object) -> None:
        from .watch import Watch

        journal.write("attached", pid=os.getpid(), torch=str(getattr(_torch, "__version__", "")))
        Watch(plan, journal).install()

    arrival.when_imported("torch", guard.guarded(attach))
