"""The observer: loaded inside the user's interpreter, where it watches torch and changes nothing.

It imports the standard library and the user's own torch, nothing else, and keeps to Python 3.9. `entry.py`
starts it, reached through `inject/sitecustomize.py` or the hook of `stetho.hook`; `stetho.observe()` attaches it
to a session under way. It takes its orders from the file named by STETHO_PLAN, and writes one JSON line per
event into the recording directory, one file per process.
"""

from __future__ import annotations

import json
import os
import time

from . import arrival

# Not from typing: programs start many a Python that never meets torch, and none of them should wait for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from .watch import Watch

# The recording of what is attached in this process; None while nothing is.
recording: str | None = None


def start(plan_file: str, by: str) -> None:
    """Leave a mark that this interpreter was reached, and attach for as long as it lives."""
    with open(plan_file, encoding="utf-8") as handle:
        plan = json.load(handle)
    arrival.mark(plan["recording"], by)
    if plan.get("moved"):
        from . import moved

        moved.follow(plan["moved"])
    attach(plan)


def attach(plan: dict[str, Any]) -> Callable[[], None]:
    """Watch torch from now on, or from when it is imported. The function that is returned undoes all of it."""
    global recording
    recording = plan["recording"]
    if plan.get("seed") is not None:
        arrival.seed_everything(int(plan["seed"]))
    begun = time.monotonic()
    watches: list[Watch] = []
    awaited: list[Callable[[], None]] = []

    def met(torch: Any) -> None:
        try:
            meet(torch, plan, begun, watches, awaited)
        except Exception as error:  # noqa: BLE001 - without its guard the observer must not reach the program, either
            arrival.report(plan["recording"], error)

    awaited.append(arrival.when_imported("torch", met))

    def detach() -> None:
        global recording
        for forget in awaited:
            forget()
        recording = None
        if watches:
            leave(watches)

    return detach


def meet(
    torch: Any, plan: dict[str, Any], begun: float, watches: list[Watch], awaited: list[Callable[[], None]]
) -> None:
    """Attach to torch, which has just been imported, or was already there."""
    from . import guard, stacks, unseen
    from .record.journal import Journal

    journal = Journal(plan["recording"])
    journal.started = begun
    guard.journal, guard.off, guard.thread, guard.holders = journal, False, None, []
    guard.compiling, guard.modes, guard.hollow = unseen.is_compiling, unseen.modes, unseen.hollow
    guard.cover, guard.deeper = unseen.cover, unseen.Deeper

    @guard.anywhere
    def install() -> None:
        from .seen.keras_losses import KerasLosses
        from .seen.keras_steps import KerasSteps
        from .watch import Watch

        journal.write("attached", pid=os.getpid(), torch=str(getattr(torch, "__version__", "")))
        watch = Watch(plan, journal)
        watches.append(watch)
        watch.install()
        awaited.append(KerasSteps(watch).install())
        awaited.extend(KerasLosses(watch).install())
        awaited.append(arrival.when_imported("numpy.random", guard.anywhere(watch.seeding.numpy_imported)))
        write_before_exit(watch)
        stacks.leave_later(plan, begun)

    install()


def leave(watches: list[Watch]) -> None:
    """Undo every patch and hook."""
    from . import guard

    # Not through the guard: it passes over every call once the observer is off, and patches would stay.
    for watch in watches:
        try:
            watch.remove()
        except Exception as error:  # noqa: BLE001 - the session that was observed goes on whatever happens here
            guard.fault(error, "remove")
        watch.let_go()
        watch.journal.close()
    # Programs that took a patched function for their own go on calling it.
    guard.journal, guard.off, guard.holders = None, True, []


def write_before_exit(watch: Watch) -> None:
    """Have the processes that multiprocessing forks write their last steps: they end past the usual `atexit`."""
    from multiprocessing import util

    def in_child(watch: Watch) -> None:
        util.Finalize(None, watch.last_words, exitpriority=0)

    util.register_after_fork(watch, in_child)
