"""What models that are called without gradients have made, and all that is computed from it: teachers, targets."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, FrozenSet

import torch

from ..seen.inputs import has_samples
from ..tensors import tensors_in

if TYPE_CHECKING:
    from .run import Run

Sources = FrozenSet[int]
"""Numbers of calls."""
NONE: Sources = frozenset()


class Taught:
    """Knows for a tensor from which calls of models without gradients it was computed; it holds none of them."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.known: dict[int, tuple[weakref.ref[Any], Sources]] = {}
        self.calls = 0
        """Calls of models that have made nothing with gradients."""
        self.before = 0
        """Those before the step under way."""
        self.used = False
        """Whether such a tensor has met what trains: from then on they are followed from step to step."""

    def left(self, output: Any) -> None:
        """A model has made this without gradients."""
        self.calls += 1
        for tensor in tensors_in(output):
            self.note(tensor, frozenset({self.calls}))

    def note(self, tensor: Any, sources: Sources) -> None:
        key = id(tensor)

        def gone(ref: Any) -> None:
            if key in self.known and self.known[key][0] is ref:
                del self.known[key]

        self.known[key] = (weakref.ref(tensor, gone), sources)

    def sources(self, value: Any) -> Sources:
        """The calls that a tensor, or what holds tensors, was computed from."""
        found = [self.known[id(t)] for t in tensors_in(value) if id(t) in self.known] if self.known else []
        return NONE.union(*(sources for _, sources in found))

    def recent(self, tensor: Any) -> Sources:
        """The calls of the step under way that a tensor was computed from: what is older is data by now."""
        recent = frozenset(call for call in self.sources(tensor) if call > self.before)
        self.used = self.used or bool(recent)
        return recent

    def stepped(self) -> None:
        """What was made until now belongs to an earlier step."""
        self.before = self.calls

    def follow(self, name: str, args: Any, kwargs: Any, out: Any) -> None:
        """An operation outside the models: what it makes of such a tensor is one, too."""
        sources = self.sources((args, kwargs))
        if not sources:
            return
        # Writing into a tensor gives nothing back, or the tensor.
        made = list(tensors_in(args[:1] if name == "__setitem__" else out))
        for tensor in made:
            self.note(tensor, sources | self.sources(tensor))
        if self.run.wants("mixed") and any(call > self.before for call in sources):
            given = list(tensors_in((args, kwargs)))
            rows = {t.shape[0] for t in given if t.dim() and self.sources(t)}
            for tensor in given:
                if is_data(tensor, rows) and not self.sources(tensor) and not self.run.meetings.from_model(tensor):
                    self.run.fire("mixed", tensor, sources)


def is_data(tensor: Any, rows: set[int]) -> bool:
    """Whether a tensor has a row for each that a model has made, and is no part of a model or made by one."""
    if not has_samples(tensor) or isinstance(tensor, torch.nn.Parameter) or tensor.requires_grad:
        return False
    return tensor.shape[0] in rows and tensor.shape[0] > 1
