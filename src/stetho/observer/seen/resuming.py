"""States that are loaded: which keys came from a checkpoint, and which did not."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import torch

from .. import sites
from ..guard import guarded

if TYPE_CHECKING:
    from ..patches import Patches
    from ..watch import Watch

# Keys named in a record of what a checkpoint held and what it did not.
NAMED = 20


class Resuming:
    """Follows `load_state_dict` of models, optimizers and schedulers."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def install(self, patches: Patches) -> None:
        """Patch the functions that load."""
        from torch.optim import lr_scheduler

        base = getattr(lr_scheduler, "LRScheduler", None) or lr_scheduler._LRScheduler
        kinds = {k for k in vars(lr_scheduler).values() if isinstance(k, type) and issubclass(k, base)} | {base}
        owners = [(torch.nn.Module, "model"), (torch.optim.Optimizer, "optimizer")]
        for owner, what in owners + [(k, "scheduler") for k in kinds if "load_state_dict" in vars(k)]:
            patches.replace(owner, "load_state_dict", self._loading(vars(owner)["load_state_dict"], what))

    def _loading(self, original: Any, what: str) -> Any:
        mine = self

        @functools.wraps(original)
        def load_state_dict(self: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(self, state_dict, *args, **kwargs)
            mine.loaded(self, what, state_dict, result, kwargs.get("strict", args[0] if args else True))
            return result

        return load_state_dict

    @guarded
    def loaded(self, target: Any, what: str, state: Any, result: Any, strict: Any) -> None:
        """Record what was resumed: which keys came from the checkpoint and which did not."""
        if what == "model":
            self.watch.reach.state_loaded(target)
            self.watch.sources.read("state", state)
        self.watch.journal.write(
            "loaded",
            what=what,
            name=type(target).__name__,
            keys=len(state),
            missing=list(getattr(result, "missing_keys", []))[:NAMED],
            unexpected=list(getattr(result, "unexpected_keys", []))[:NAMED],
            passed_over=len(getattr(result, "unexpected_keys", [])),
            strict=bool(strict),
            site=self.watch.journal.site(sites.here(3, 4)),
            step=self.watch.step,
        )
