"""A finished run in a few lines: how far it came, what was wrong, and how to go on."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from stetho.case import Request
from stetho.executors.direct import Ran
from stetho.live import Lookout
from stetho.render.wording import number, seconds
from stetho.tail import Track


def summary(lookout: Lookout, ran: Ran, case: Path, request: Request, why_not: str) -> Iterator[str]:
    """What to say at the end of a run, from what was read of it while it went on."""
    tail = lookout.tail
    main = tail.main
    how = f"ended by {ran.signal}" if ran.signal else f"exit code {ran.code}"
    if main is None:
        yield f"{seconds(ran.seconds)}, {how}; no step was recorded, which says nothing about health: {why_not}"
    else:
        yield f"{main.steps} steps in {seconds(ran.seconds)}, {how}{_time(main)}{_loss(main)}"
    if lookout.raised:
        yield "warned: " + "; ".join(f"{a.kind} at step {a.step}" for a in lookout.raised)
    yield from _origin(lookout)
    if tail.faults:
        yield f"the observer switched itself off: {tail.faults[0]}"
    if main is not None or ran.exit_code:
        shown = os.path.relpath(case, request.cwd) if case.is_relative_to(request.cwd) else str(case)
        yield f"go on with: stetho why {shlex.quote(shown)}"


def _origin(lookout: Lookout) -> Iterator[str]:
    """Where the NaN that was warned about came from; operations that failed after it have only passed it on."""
    bad = next((a.step for a in lookout.raised if a.kind == "nan"), None)
    found = [o for o in lookout.tail.origins if bad is not None and o.step <= bad]
    for one in [o for o in found if o.on_path][:1] or found[:1]:
        where = f", {lookout.users_path(one.place.file)}:{one.place.line}" if one.place else ""
        yield f"the first NaN or Inf came from {one.operation} ({one.phase}) at step {one.step}{where}"
    if bad is not None and not found and lookout.tail.unlocalised:
        yield f"where it came from was not found: {lookout.tail.unlocalised}"


def _time(main: Track) -> str:
    if not main.timed:
        return ""
    each = main.seconds / main.timed
    told = f"{each * 1000:.3g} ms" if each < 1 else f"{each:.3g} s"
    share = f", {main.waited / main.seconds:.0%} of it waiting for data" if main.waited and main.seconds else ""
    return f"; {told} per step{share}"


def _loss(main: Track) -> str:
    if not main.loss.first:
        return ""
    return f"; loss {number(main.loss.first[0])} -> {number(main.loss.newest)}"
