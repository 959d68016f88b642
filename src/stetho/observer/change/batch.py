"""What is what in a call of a model: which of its tensors are samples, which are labels, which are masks."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Tuple

import torch

from ..seen.inputs import has_samples
from ..tensors import tensors_in
from .memory import Memory, shares_memory

if TYPE_CHECKING:
    from .run import Run

Path = Tuple[Any, ...]
DEPTH = 3
# Outputs of models that are remembered.
OUTPUTS = 16
# Operations that are followed back to see where an input comes from.
NODES = 2000
# Calls after which labels have been seen if there are any.
ENOUGH = 16
# Numbers without further axes that can be as many samples, where the model makes a row of each.
LEAST = 16


class Batch:
    """The batch that the model is being trained on, as it is handed to the model and to the loss.

    Labels are told by what the loss is given, never by their names, so the first call for training only shows
    them: a change that must leave them alone waits until `known`.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.size = 0
        self.known = False
        self.calls = 0
        """Calls for training so far."""
        self.labels: set[Path] = set()
        self.tensors: dict[Path, Any] = {}
        self.given: dict[Path, Any] = {}
        """The same as the program gave them, before the change."""
        self.made = Memory(OUTPUTS)
        """What models have made of late."""
        self.met: set[int] = set()
        self.model = 0
        """The one that was last called for training."""
        self.by_number: set[int] = set()
        """Models that make a row of each number they are given."""
        self.alone = False
        """Whether the model is called with a single sample, which has no axis for others."""

    def comes(self, module: Any, args: Any, kwargs: Any) -> None:
        """A model is called for training: how many samples it is given."""
        # Of several models each has to show its labels; one that is made anew for each step never comes again.
        self.known = identity(module) in self.met or self.calls >= ENOUGH
        self.met.add(identity(module))
        self.calls += 1
        self.model = identity(module)
        self.tensors = self.given = dict(tensors_at(args, kwargs))
        # A single tensor cannot be the labels.
        self.known = self.known or len([t for t in self.tensors.values() if has_samples(t)]) == 1
        first = self.main(module)
        self.size = int(self.tensors[first].shape[0]) if first is not None else 0
        self.alone = first is None and any(has_samples(t) for t in self.tensors.values())
        if self.alone and self.run.wants("input", "target"):
            self.run.refused("the model is called with single samples; there is no batch")

    def entered(self, args: Any, kwargs: Any) -> None:
        """What the model is really called with, after the change."""
        self.tensors = dict(tensors_at(args, kwargs))

    def main(self, module: Any) -> Path | None:
        """The tensor that holds the samples: the first by position; by keyword, the first of the largest."""
        held = {path: t for path, t in self.tensors.items() if has_samples(t) and not self.is_one(module, t)}
        read = {path: t for path, t in held.items() if not self.run.reading.unread(identity(module), path)}
        held = read or held
        for path in held:
            if path[0] == 0 and path not in self.labels:
                return path
        named = in_order(module, held)
        large = [p for p in named if held[p].numel() == max(held[q].numel() for q in named)]
        plain = [p for p in large if not is_mask(held[p])]
        return next(iter(plain or large), None)

    def is_one(self, module: Any, tensor: Any) -> bool:
        """Whether a tensor is one sample: measured numbers along one axis, of which the model does not make rows."""
        if tensor.dim() != 1 or not tensor.is_floating_point():
            return False
        return tensor.shape[0] < LEAST or identity(module) not in self.by_number

    def samples(self, module: Any, args: Any, kwargs: Any) -> dict[Path, Any]:
        """Every tensor of a call that tells something about the samples and is neither label nor mask."""
        self.tensors = dict(tensors_at(args, kwargs))
        first = self.main(module)
        if first is None:
            return {}
        chief = self.tensors[first]
        found = {first: chief}
        for path, tensor in self.tensors.items():
            if path == first or not has_samples(tensor) or tensor.shape[0] != chief.shape[0]:
                continue
            if self.run.reading.unread(identity(module), path):
                continue
            if not (path in self.labels or is_mask(tensor) or is_copy(tensor, chief) or is_index(tensor, chief)):
                found[path] = tensor
        return {path: tensor for path, tensor in found.items() if not from_a_model(tensor)}

    def chief(self, module: Any, args: Any, kwargs: Any) -> Any:
        """The tensor of a call that holds the samples, or None."""
        self.tensors = dict(tensors_at(args, kwargs))
        path = self.main(module)
        return None if path is None else self.tensors[path]

    def copied(self, args: Any, kwargs: Any) -> dict[Path, Any]:
        """A copy of every tensor of a call, to be put into a later one."""
        return {path: tensor.detach().clone() for path, tensor in tensors_at(args, kwargs)}

    def replaced(self, args: Any, kwargs: Any, new: Mapping[Path, Any]) -> tuple[Any, Any] | None:
        """The same call with other tensors in the places named; None if it has no such places."""
        there = {path for path, _ in tensors_at(args, kwargs)}
        return replaced(args, kwargs, new) if set(new) <= there else None

    def from_a_model(self, path: Path, args: Any, kwargs: Any) -> bool:
        """Whether a tensor of a call was made by a model, this one or another, and may have been detached since."""
        tensor = dict(tensors_at(args, kwargs))[path]
        return from_a_model(tensor) or tensor in self.made

    def taught(self, args: Any, kwargs: Any) -> dict[Path, Any]:
        """Tensors of a call that were computed from what models made without gradients in this step: by which calls."""
        found = {path: self.run.taught.recent(tensor) for path, tensor in tensors_at(args, kwargs)}
        return {path: sources for path, sources in found.items() if sources}

    def left(self, module: Any, training: bool, output: Any) -> None:
        """What a model has made."""
        outputs = list(tensors_in(output))
        self.made.add(outputs)
        if training and self.alone:
            numbers = {t.shape[0] for t in self.given.values() if t.dim() == 1 and t.shape[0] >= LEAST}
            if any(t.dim() and t.shape[0] in numbers for t in outputs):
                self.by_number.add(identity(module))

    def inputs(self) -> list[Any]:
        """What the model computes with, as the program gave it and after the change; the rest it only carries along."""
        held = (*self.given.items(), *self.tensors.items())
        return [tensor for path, tensor in held if not self.run.reading.unread(self.model, path)]

    def rows(self, tensor: Any, count: int) -> Any:
        """So many rows of a tensor, from the first on and round again."""
        have = tensor.shape[0]
        if count <= have:
            return tensor[:count]
        return tensor[torch.arange(count, device=tensor.device) % have]

    def target_seen(self, target: Any) -> None:
        """A loss was given this: arguments of the model that hold the same are labels."""
        if self.known or not isinstance(target, torch.Tensor):
            return
        held = {path: t for path, t in self.tensors.items() if has_samples(t)}
        holding = [path for path, t in held.items() if path != (0,) and holds(t, target)]
        others = [t for path, t in held.items() if path not in holding and not is_mask(t)]
        for path in holding:
            # A model that gives back what it was given has its input for a target: the largest of its floats.
            room = max((t.numel() for t in others), default=0)
            if others and (not held[path].is_floating_point() or room >= held[path].numel()):
                self.labels.add(path)


def identity(module: Any) -> int:
    """What stands for a model also where it is wrapped or compiled: its first parameter."""
    return id(next(module.parameters(), module))


def tensors_at(args: Any, kwargs: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    """The tensors of a call with the way to each: positions, names and keys."""
    for position, value in enumerate(args):
        yield from _below((position,), value, DEPTH)
    for name, value in kwargs.items():
        yield from _below((name,), value, DEPTH)


def _below(path: Path, value: Any, depth: int) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, torch.Tensor):
        yield path, value
    elif depth and isinstance(value, Mapping):
        for key in value:
            yield from _below((*path, key), value[key], depth - 1)
    elif depth and isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from _below((*path, number), item, depth - 1)


def replaced(args: Any, kwargs: Mapping[str, Any], new: Mapping[Path, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The same call with other tensors in the places named; everything else is the program's own."""
    given = tuple(_filled(value, (position,), new) for position, value in enumerate(args))
    return given, {name: _filled(value, (name,), new) for name, value in kwargs.items()}


def _filled(value: Any, path: Path, new: Mapping[Path, Any]) -> Any:
    if path in new:
        return new[path]
    if not any(p[: len(path)] == path for p in new):
        return value
    if isinstance(value, Mapping):
        import copy

        made = copy.copy(value)
        for key in value:
            made[key] = _filled(value[key], (*path, key), new)  # type: ignore[index]
        return made
    items = [_filled(item, (*path, number), new) for number, item in enumerate(value)]
    return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)


def in_order(module: Any, held: Mapping[Path, Any]) -> list[Path]:
    """Paths in the order in which the model declares its arguments, which a dictionary of them need not keep."""
    try:
        names = list(inspect.signature(module.forward).parameters)
    except (TypeError, ValueError, AttributeError):
        names = []
    return sorted(held, key=lambda p: names.index(p[0]) if p[0] in names else len(names))


def is_mask(tensor: Any) -> bool:
    """Whether a tensor says which elements count: whole numbers that are all 0 or 1."""
    if tensor.dtype == torch.bool:
        return True
    if tensor.is_floating_point() or tensor.is_complex() or tensor.dim() < 2:
        return False
    return bool(((tensor == 0) | (tensor == 1)).all())


def is_copy(tensor: Any, chief: Any) -> bool:
    """Whether whole numbers repeat the samples, but for those that are to be ignored: labels of a language model."""
    if tensor.shape != chief.shape or tensor.is_floating_point() or chief.is_floating_point():
        return False
    return bool(((tensor == chief) | (tensor < 0)).all())


def is_index(tensor: Any, chief: Any) -> bool:
    """Whether whole numbers say how a batch is laid out: lengths of its samples, or which sample a row belongs to."""
    if tensor.dim() != 1 or tensor.is_floating_point() or tensor.is_complex() or tensor.numel() < 2:
        return False
    if int(tensor.min()) >= 0 and int(tensor.max()) in tuple(chief.shape[1:]):
        return True
    steps = tensor[1:] - tensor[:-1]
    return bool((steps >= 0).all()) or bool((steps <= 0).all())


def from_a_model(tensor: Any) -> bool:
    """Whether a tensor was computed from parameters: what one model hands to another is no data of the program's."""
    ahead, seen = [tensor.grad_fn], {None}
    while ahead and len(seen) < NODES:
        node = ahead.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(getattr(node, "variable", None), torch.nn.Parameter):
            return True
        ahead.extend(before for before, _ in node.next_functions)
    return bool(ahead)


def holds(tensor: Any, target: Any) -> bool:
    """Whether a tensor is what a loss was given: the same memory, or the same numbers."""
    if tensor is target:
        return True
    try:
        if shares_memory(tensor, target):
            return True
        if tensor.numel() != target.numel() or not tensor.numel():
            return False
        return bool((tensor.detach().reshape(-1).double() == target.detach().reshape(-1).double()).all())
    except (RuntimeError, NotImplementedError, TypeError):
        return False
