"""What `stetho run` keeps of the last stretch, so that a late failure can be gone back to: batches and checkpoints.

Batches are kept by reference, within a budget of memory. Checkpoints are written at the end of a step, seldom enough
to take no more than a hundredth of the run's time. At the first number that is not finite, the batches since the
checkpoint that is to be used are written beside it, with the step that failed.
"""

from __future__ import annotations

import functools
import os
import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Callable

import torch

from .. import guard
from ..replay.kept import Call
from ..seen.inputs import fingerprints, first_tensor
from ..unseen import unrecorded
from . import away, snapshot
from .streams import Unfit, flat

if TYPE_CHECKING:
    from ..watch import Watch
    from ..watched import Watched

now = time.perf_counter
MEGABYTE = 1024 * 1024
# Seconds between two checkpoints, and until the first; the share of the run's time that they may take.
EVERY, FIRST, SHARE = 10.0, 5.0, 0.01
# Bytes of batches in memory, of one checkpoint on disk, and of one that is written without a process of its own.
BATCHES, DISK, AT_ONCE = 128 * MEGABYTE, 1024 * MEGABYTE, 8 * MEGABYTE
# Bytes per second that a checkpoint is taken to cost before one has been made: written, or copied page by page.
SPEED = 500 * MEGABYTE
# What a tensor takes beside its numbers.
OBJECT = 1024
# Steps before the failure that a checkpoint should lie, for an experiment to have room.
LEAD = 20
# Batches kept between two steps from a loader that no step has used so far: it is one for evaluation.
UNUSED = 64
# Failures written down; one that passes, as an overflow under a gradient scaler does, is followed by a later one.
FAILURES, CALM = 4, 3


class Checkpoint:
    """A state that was written, and where the stream of batches was then."""

    def __init__(self, path: str, step: int, optimizer: int, delivered: int) -> None:
        self.path = path
        self.step = step
        self.optimizer = optimizer
        self.delivered = delivered
        self.prints: list[str] | None = None
        self.looked = False


def at_own_risk(function: Callable[..., None]) -> Callable[..., None]:
    """An error in the ring ends the ring, and nothing else of the observer."""

    @functools.wraps(function)
    def run(ring: Ring, *args: Any) -> None:
        try:
            function(ring, *args)
        except Exception as error:
            # What goes wrong here costs the ring alone.
            if guard.from_signal(error):
                raise
            ring.give_up(str(error) if isinstance(error, Unfit) else f"{type(error).__name__}: {error}")

    return run


class Ring:
    """Recent batches, and the last two checkpoints."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        given = watch.plan.get("ring") or {}
        self.folder: str = given.get("folder", "")
        self.every = float(given.get("every", EVERY))
        self.steps: int | None = given.get("steps")
        self.share = float(given.get("share", SHARE))
        self.memory = int(given.get("memory", BATCHES))
        self.disk = int(given.get("disk", DISK))
        self.at_once = int(given.get("at_once", AT_ONCE))
        self.on = bool(self.folder)
        self.started = now()
        self.due = self.started + min(FIRST, self.every)
        self.affordable = self.due
        self.kept: deque[tuple[int, list[Any], list[tuple[Any, int]], int]] = deque()
        self.size = self.since = self.delivered = 0
        self.copying = False
        self.trained: set[int] = set()
        self.latest = self.idle = 0
        self.checkpoints: list[Checkpoint] = []
        self.failing: int | None = None
        self.failures = self.calm = self.written = 0

    def give_up(self, why: str) -> None:
        """Keep nothing from now on, and say why."""
        self.on = False
        self.kept.clear()
        self.watch.journal.write("ring", step=self.watch.step, off=why[:300])

    @at_own_risk
    def batch(self, stream: int, shared: bool, batch: Any) -> None:
        """A loader has delivered: keep what it holds, by reference unless that memory is scarce or written to."""
        if self.failing is not None or (self.idle >= UNUSED and stream not in self.trained):
            return
        self.idle += 1
        self.latest = stream
        self.delivered += 1
        if self.kept and any(t._version != v for t, v in self.kept[-1][2]):
            # The program writes into its batches: from now on they are copied before it can.
            self.copying = True
            self.kept.clear()
            self.size = 0
        leaves: list[Any] = list(batch) if type(batch) in (list, tuple) else [batch]
        if any(type(t) is not torch.Tensor for t in leaves):
            leaves = flat(batch)
        versions = [(t, t._version) for t in leaves if isinstance(t, torch.Tensor)]
        size = OBJECT + sum([t.nbytes + OBJECT for t, _ in versions])
        if self.copying or shared:
            leaves = [t.detach().clone() if isinstance(t, torch.Tensor) else t for t in leaves]
            versions = []
        self.kept.append((stream, leaves, versions, size))
        self.size += size
        self.since += size
        while self.size > self.memory:
            self.size -= self.kept.popleft()[3]
        if self.since > self.memory // 2:
            # Soon the way back to the last checkpoint would be lost.
            self.due = min(self.due, self.affordable)

    @at_own_risk
    def step_ended(self, watched: Watched) -> None:
        """A step is over: write a checkpoint if it is time for one."""
        self.trained.add(self.latest)
        self.idle = 0
        if self.failing is not None:
            self.go_on_if_it_passed()
            return
        if self.checkpoints and not self.checkpoints[-1].looked:
            self.look(self.checkpoints[-1])
        if now() < self.due if self.steps is None else watched.steps % self.steps:
            return
        # Of several optimizers, the one that steps least often: its step ends the longest stretch of the loop.
        if all(watched.steps <= w.steps for w in self.watch.optimizers.values() if w.steps):
            self.checkpoint(watched)

    def checkpoint(self, watched: Watched) -> None:
        """Write the state as it is now, unless that would take more than its share of the run so far."""
        refused = self.refusal(watched)
        if refused:
            return self.give_up(refused)
        begun = now()
        state = snapshot.take(self.watch, watched, snapshot.frames_here(5))
        size = snapshot.bytes_of(state)
        if size > self.disk:
            return self.give_up(
                f"a checkpoint takes {size / MEGABYTE:.1f} MB, and {self.disk / MEGABYTE:.1f} are allowed"
            )
        if self.steps is None and begun < self.started + size / SPEED / self.share:
            self.due = self.affordable = self.started + size / SPEED / self.share
            return None
        path = os.path.join(self.folder, f"{os.getpid()}-{watched.steps}.pt")
        small = size <= self.at_once
        away.write([(path, state)], here=small)
        self.checkpoints.append(Checkpoint(path, watched.steps, watched.index, self.delivered))
        while len(self.checkpoints) > 2:
            away.remove(self.checkpoints.pop(0).path)
        # While a process of its own writes, each page that the program changes is copied for it.
        spent = now() - begun + (0.0 if small else size / SPEED)
        self.affordable = now() + spent / self.share
        self.due = max(now() + self.every, self.affordable)
        self.since = 0
        self.written += 1
        if self.written & (self.written - 1) == 0:
            # The first, the second, the fourth: a run of weeks does not fill its recording with them.
            self.watch.journal.write("ring", step=watched.steps, count=self.written, bytes=size, seconds=spent)
        return None

    def refusal(self, watched: Watched) -> str | None:
        """Why nothing can be gone back to here, if it cannot."""
        if self.watch.ranks:
            return "the run is spread over several processes"
        if not isinstance(watched.optimizer, torch.optim.Optimizer):
            return "the program updates its parameters by hand, and where such a step ends is not known"
        if any(p.device.type != "cpu" for p in watched.parameters()):
            return "values on an accelerator are read too late to keep what led to them"
        return None

    def look(self, checkpoint: Checkpoint) -> None:
        """In the first step after a checkpoint: remember what it works on."""
        checkpoint.looked, checkpoint.prints = True, self.first_input()

    def first_input(self) -> list[str] | None:
        """Fingerprints of what the step under way was first called with, by which it is known again."""
        replay = self.watch.replay
        call = next((e for e in replay.kept[replay.mark :] if isinstance(e, Call) and e.grad), None)
        value = None if call is None else first_tensor(call.args, call.kwargs)
        if value is None or not value.shape[0]:
            return None
        with unrecorded():
            return fingerprints(value.detach())

    @at_own_risk
    def failed(self, step: int) -> None:
        """Numbers have stopped being finite: write what leads here from a checkpoint, and wait."""
        if not self.on or self.failing is not None:
            return
        self.failing, self.calm = step, 0
        self.failures += 1
        chosen = self.chosen(step) if self.failures <= FAILURES else None
        if chosen is not None:
            if not chosen.looked:
                self.look(chosen)
            self.write(chosen, step)
        self.watch.journal.write("ring", step=step, failing=step, since=None if chosen is None else chosen.step)
        self.kept.clear()
        self.size = self.since = 0

    def chosen(self, step: int) -> Checkpoint | None:
        """The last checkpoint with room before the failure, from which every batch is still there."""
        whole = [c for c in self.checkpoints if os.path.exists(c.path) and self.batches_since(c) is not None]
        return next((c for c in reversed(whole) if step - c.step >= LEAD), whole[0] if whole else None)

    def batches_since(self, checkpoint: Checkpoint) -> list[tuple[int, list[Any]]] | None:
        """The batches delivered after a checkpoint; None when some are gone, or are not what they were."""
        count = self.delivered - checkpoint.delivered
        if count > len(self.kept):
            return None
        entries = list(self.kept)[len(self.kept) - count :]
        if any(t._version != v for _, _, versions, _ in entries for t, v in versions):
            return None
        return [(stream, leaves) for stream, leaves, _, _ in entries]

    def write(self, chosen: Checkpoint, step: int) -> None:
        """The batches, then the record that names them: whoever finds it finds all of it."""
        entries = self.batches_since(chosen) or []
        batches = os.path.join(self.folder, f"{os.getpid()}-batches-{step}.pt")
        # Copies: of a slice, torch would write all that it is a slice of.
        held = [(s, [t.detach().clone() if isinstance(t, torch.Tensor) else t for t in b]) for s, b in entries]
        body = {
            "pid": os.getpid(),
            "argv": [os.path.basename(a) for a in sys.argv],
            "checkpoint": os.path.basename(chosen.path),
            "batches": os.path.basename(batches),
            "o": chosen.optimizer,
            "step": chosen.step,
            "failing": step,
            "prints": chosen.prints,
        }
        record = os.path.join(self.folder, f"{os.getpid()}-failure.json")
        stale = away.named_in(record)
        away.write([(batches, held), (record, body)], here=True)
        for other in [*(c.path for c in self.checkpoints if c is not chosen), *stale]:
            away.remove(other)

    def go_on_if_it_passed(self) -> None:
        """An overflow that a gradient scaler steps over is no end: keep what comes after it."""
        self.calm = self.calm + 1 if self.watch.finite else 0
        if self.calm >= CALM:
            self.failing = None
            self.checkpoints = []
            self.due = max(now(), self.affordable)

    def forked(self) -> None:
        """In a forked child: what was kept is the parent's."""
        self.on = False
        self.kept.clear()
