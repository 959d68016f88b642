"""From numbers that have just stopped being finite to a record of where: a twin of the process replays the step."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import torch

from .. import guard, twin
from ..seen.coverage import names
from ..seen.gradients import local
from ..unseen import uncovered
from . import room
from .kept import Call, version

if TYPE_CHECKING:
    from .keeper import Replay

# Seconds that the program waits for the twin, once.
PATIENCE = 120.0
# Times that a process is replayed; a run that stays non-finite has told all it can.
TIMES = 2


class Localisation:
    """Decides whether a step can be replayed, has a twin do it, and writes down what that finds."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.watch = replay.watch
        self.left = TIMES
        self.told = -1

    def localise(self, what: str, step: int) -> None:
        """Replay the step in a twin and record what it finds, once for each time that numbers go wrong."""
        self.watch.ring.failed(step)
        again = self.told >= 0 and step - self.told <= 3
        self.told = step
        if again or self.left <= 0:
            return
        self.left -= 1
        reason = self.refusal()
        for body in [{"why": reason}] if reason else self.ask_twin():
            self.write(step, what, body)
        if self.left <= 0:
            self.replay.on = False

    def write(self, step: int, what: str, body: dict[str, Any]) -> None:
        """Put one finding of the twin on record."""
        journal = self.watch.journal
        if "why" in body:
            journal.write("unlocalised", step=step, what=what, why=body["why"])
            return
        frames = [tuple(f) for f in body.pop("frames")]
        journal.write("origin", step=step + body.pop("earlier", 0), site=journal.site(frames), **body)

    def refusal(self) -> str | None:
        """Why this step cannot be replayed here, if it cannot."""
        if self.watch.tracer.compiled:
            return "the model is compiled; switch torch.compile off to see inside"
        if torch.cuda.is_initialized():
            return "a process that uses an accelerator cannot be forked"
        if self.replay.too_large:
            return "what the step works on is larger than may be kept"
        if not self.replay.kept:
            return "nothing of the step was kept"
        for call in (e for e in self.replay.kept if isinstance(e, Call)):
            if any(version(t) != v for t, v in call.versions):
                return "the model changes its input in place"
            if sharded(call.module):
                return "the model is spread over several processes"
            if any(t.is_shared() for t in call.module.buffers() if t.device.type == "cpu"):
                return "the model lies in memory that it shares with other processes"
        return twin.refusal()

    def ask_twin(self) -> list[dict[str, Any]]:
        """Have a forked twin replay the step; it may take many times as long as the step did, but not for ever."""
        took = time.perf_counter() - self.watch.ended
        return twin.ask(self.replayed, min(PATIENCE, 10.0 + 50.0 * took))

    def replayed(self) -> list[dict[str, Any]]:
        """What the twin does."""
        from .rerun import Rerun

        guard.off = True
        # The threads of the parent's pools do not exist here.
        torch.set_num_threads(1)
        room.take_half(self.watch.process.world)
        try:
            with uncovered():
                return Rerun(self.replay).findings()
        except (MemoryError, RuntimeError) as error:
            if not room.exceeded(error):
                raise
            return [{"why": "the replay would take more memory than there is to spare"}]

    def spoiled_last(self) -> None:
        """Record the last step of an optimizer when it left parameters that are not finite and nothing came after."""
        for watched in self.watch.optimizers.values():
            last = [p for p in watched.parameters() if p.requires_grad and p.device.type == "cpu"]
            bad = [p for p in last if not bool(torch.isfinite(local(p).detach()).all())]
            if bad and watched.steps and all(self.replay.used_before(p) for p in bad):
                self.told = watched.steps - 1
                name = names(self.watch.modules, bad[:1])[0]
                body = {**nothing(), "phase": "optimizer", "op": type(watched.optimizer).__name__.lower()}
                body.update(frames=watched.step_at or watched.made_at, module=name, replayed=False)
                self.write(watched.steps - 1, "a parameter", body)
                return


def nothing() -> dict[str, Any]:
    """An origin of which nothing is known yet."""
    return {
        "op": "", "phase": "forward", "module": None, "frames": [], "low": None, "high": None, "zeros": 0, "size": 0,
        "divisor_zeros": 0, "graph": True, "replayed": True,
    }  # fmt: skip


def sharded(module: Any) -> bool:
    """Whether calling the module needs the other ranks beyond what its wrapper does."""
    kinds = {k.__name__ for m in module.modules() for k in type(m).__mro__}
    return any(k == "FullyShardedDataParallel" or "FSDP" in k for k in kinds)
