"""Other samples in the place of a batch's, input and target alike, for programs whose batches no loader makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, Optional, Tuple

import torch

from ..seen.inputs import fingerprints, has_samples
from .batch import Path, from_a_model, holds, replaced
from .roles import is_order
from .samples import in_place_of

if TYPE_CHECKING:
    from .run import Run

# A sample: the number of the call of the model that it came with, and its row there.
Source = Tuple[int, int]
Choose = Callable[[int, List[str]], Optional[List[Source]]]
"""`choose(call, prints)`: for each row of this call the sample to put there; None leaves the call as it is."""
Entered = Callable[[List[str]], None]
"""`entered(prints)`: after a changed call, fingerprints of what the model was called with."""
# Bytes of earlier batches that are kept to choose from.
KEPT = 256 * 2**20


class Call:
    """One batch as the program gave it: every tensor with a row for each sample, and its targets as they come."""

    def __init__(self, module: Any, tensors: dict[Path, Any]) -> None:
        self.tensors = tensors
        self.targets: dict[int, Any] = {}
        self.form = (id(module), *((path, t.shape[1:], t.dtype) for path, t in tensors.items()))

    @property
    def size(self) -> int:
        return sum(t.numel() * t.element_size() for t in (*self.tensors.values(), *self.targets.values()))


class Rows:
    """Keeps batches as they come and puts the chosen samples in the place of each one's own."""

    def __init__(self, run: Run, choose: Choose, entered: Entered) -> None:
        self.run, self.choose, self.entered = run, choose, entered
        self.on = True
        self.calls: dict[int, Call] = {}
        self.sources: list[Source] | None = None
        self.now = -1
        self.path: Path | None = None
        run.on_input(self.enter)
        run.on_left(self.left)
        run.on_target(self.target)
        run.on_beside(lambda tensor, met, what: self.target(tensor, met))
        run.on_compared(self.compared)

    def pool(self) -> list[Source]:
        """Samples, of this batch and of earlier ones, that can stand in any row of the call under way."""
        mine = self.calls[self.now]
        alike = [n for n, call in self.calls.items() if call.form == mine.form and (call.targets or call is mine)]
        return [(n, row) for n in alike for row in range(len(next(iter(self.calls[n].tensors.values()))))]

    def enter(self, module: Any, args: Any, kwargs: Any) -> Any:
        """A call for training: put the chosen samples into every tensor that has a row for each."""
        self.sources, self.now = None, self.run.batch.calls
        if not self.on:
            return None
        chief = self.run.batch.chief(module, args, kwargs)
        self.path = self.run.batch.main(module)
        if chief is None or not chief.shape[0] or from_a_model(chief):
            return None
        size = chief.shape[0]
        held = {p: t for p, t in self.run.batch.tensors.items() if has_samples(t) and t.shape[0] == size}
        self.calls[self.now] = Call(module, {path: t.detach().clone() for path, t in held.items()})
        self.forget()
        self.sources = self.choose(self.now, prints(chief))
        if self.sources is None:
            return None
        new = {path: in_place_of(tensor, self.picked(path)) for path, tensor in held.items()}
        return replaced(args, kwargs, new)

    def picked(self, path: Path) -> Any:
        """The chosen rows for one place."""
        return torch.stack([self.calls[call].tensors[path][row] for call, row in self.sources or ()])

    def left(self, module: Any, training: bool) -> None:
        """After the call: what it was made with."""
        entered = self.run.batch.tensors.get(self.path or ())
        if training and self.sources is not None and entered is not None:
            self.entered(prints(entered.detach()))

    def forget(self) -> None:
        """Let go of the oldest batches when there are too many."""
        total = sum(call.size for call in self.calls.values())
        for number in list(self.calls)[:-1]:
            if total <= KEPT:
                return
            total -= self.calls.pop(number).size

    def compared(self) -> None:
        """Rows are set against each other: a sample that is there twice would be its own counterexample."""
        if self.sources is not None and len(set(self.sources)) < len(self.sources):
            self.run.contradicted("samples are compared with each other, and some are there more than once")

    def target(self, target: Any, met: Any) -> Any:
        """A target, or what else meets the output of the call under way: its rows go where those of the input went."""
        if is_order(target) and met.dim() == 2 and tuple(met.shape) == (len(target), len(target)) != (1, 1):
            self.compared()
            return target
        # What the model was given by itself has its rows already.
        if self.now not in self.calls or self.run.inside_model:
            return target
        if any(holds(tensor, target) for tensor in self.run.batch.tensors.values()):
            return target
        size = self.run.batch.size
        if not size or not target.dim() or (target.shape[0] != size and (target.dim() > 1 or target.shape[0] % size)):
            if self.sources is not None:
                self.run.contradicted("a target does not have a row for each sample")
            return target
        if self.run.taught.recent(target) and any(call != self.now for call, _ in self.sources or ()):
            self.run.contradicted("what meets the output was made by another model, of other samples")
            return target
        number = self.run.meetings.number
        rows = target.detach().reshape(size, -1)
        self.calls[self.now].targets[number] = rows.clone()
        if self.sources is None:
            return target
        found = []
        for call, at in self.sources:
            kept = self.calls[call].targets.get(number) if call in self.calls else None
            if kept is None or kept.shape[1:] != rows.shape[1:] or kept.dtype != rows.dtype:
                self.run.contradicted("targets come in another order than before")
                return target
            found.append(kept[at])
        return torch.stack(found).reshape(target.shape)


def prints(tensor: Any) -> list[str]:
    """A fingerprint of each sample."""
    parts = [fingerprints(part) for part in tensor.split(256)]
    return [one for part in parts for one in part]
