"""The stacks of all threads, left shortly before a run is stopped: they tell what it waits for, if it waits."""

from __future__ import annotations

import faulthandler
import os
import time
from typing import Any

# The part of the time after which it is looked.
SHARE = 0.85
_open: list[Any] = []


def leave_later(plan: dict[str, Any], begun: float) -> None:
    """Have Python's own watchdog write the stacks, which needs no lock and no turn of the interpreter."""
    seconds = plan.get("seconds")
    left = SHARE * float(seconds) - (time.monotonic() - begun) if seconds else 0.0
    if left <= 1.0:
        return
    # Stays open until the process ends: the watchdog writes to its handle.
    handle = open(os.path.join(plan["recording"], f"stacks-{os.getpid()}.txt"), "w")  # noqa: SIM115
    _open.append(handle)
    faulthandler.dump_traceback_later(left, file=handle)
