"""What of a model's output follows what of its input: other samples, or later positions, as a twin finds by trying."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import torch

from .. import guard, twin
from ..tensors import tensors_in
from ..unseen import uncovered
from . import room
from .influence_affine import affine
from .influence_axes import apart, axis_of, differ, pairwise
from .influence_future import Future
from .kept import Call, Operation
from .tape import Tape, Writing

if TYPE_CHECKING:
    from .keeper import Replay

# The step that is tried, models of it, seconds that the program waits at most, and elements of a model.
STEP, MODELS, PATIENCE, LARGEST = 1, 2, 6.0, 60_000_000
RESHAPES = ("view", "reshape", "flatten", "unflatten", "view_as", "reshape_as")
RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")
ATTENTION = ("scaled_dot_product_attention", "multi_head_attention_forward")
NORMS = ("normalize", "norm", "vector_norm", "linalg_vector_norm")


class Influence:
    """Asks a twin once, early in the run; nothing of it is felt by the program but the time it takes."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.watch = replay.watch
        self.asked = False

    def look(self, step: int) -> None:
        """The step is about to go backward: its models can be called once more."""
        if self.asked or step < STEP:
            return
        self.asked = True
        # Experiments are about something else, and ranks would wait for each other.
        if step > STEP or self.watch.run.calls or self.watch.process.world > 1 or not self.calls():
            return
        if self.replay.localisation.refusal() is None:
            began = time.perf_counter()
            for body in twin.ask(self.tried, PATIENCE):
                frames = [tuple(f) for f in body.pop("frames", [])]
                site = self.watch.journal.site(frames) if frames else None
                self.watch.journal.write("influence", step=step, site=site, **body)
            # What the observer did just now is not the program's time.
            self.watch.ended += time.perf_counter() - began

    def calls(self) -> list[Call]:
        """Calls for training of models that are not too large to be called again."""
        found: dict[int, Call] = {}
        for entry in self.replay.kept:
            if isinstance(entry, Call) and entry.grad and entry.out is not None:
                found.setdefault(id(entry.module), entry)
        small = [c for c in found.values() if sum(p.numel() for p in c.module.parameters()) < LARGEST]
        return small[:MODELS]

    def tried(self) -> list[dict[str, Any]]:
        """What the twin does."""
        guard.off = True
        torch.set_num_threads(1)
        room.take_half(1)
        operations = [e for e in self.replay.kept if isinstance(e, Operation)]
        found = []
        for call in self.calls():
            with uncovered(), torch.no_grad():
                probe = Probe(call, operations, self.watch.modules.made)
                found.append(probe.mixing())
                found.append(Future(probe).seen())
                found.append(affine(probe))
        return [body for body in found if body]


class Probe:
    """One model, called again with parts of its input replaced, in evaluation mode and so without chance."""

    def __init__(self, call: Call, operations: list[Operation], made: dict[int, Any]) -> None:
        self.call, self.operations, self.made = call, operations, made
        self.module = call.module
        self.module.eval()
        self.given = list(tensors_in((call.args, call.kwargs)))
        self.tape, self.outputs = self.run({})
        _, again = self.run({})
        self.steady = len(self.outputs) == len(again) and not any(
            differ(a, b).any() for a, b in zip(self.outputs, again)
        )

    def run(self, new: dict[int, Any]) -> tuple[Tape, list[Any]]:
        """Call the model with other tensors in place of some of its own."""
        tape = Tape(self.made)
        args, kwargs = swapped(self.call.args, new), swapped(self.call.kwargs, new)
        torch.manual_seed(0)
        with tape.attached(), Writing(tape):
            out = tape.call(self.module, args, kwargs, self.call.at)
        return tape, [t for t in tensors_in(out) if t.is_floating_point()]

    def mixing(self) -> dict[str, Any] | None:
        """Whether the output for one sample follows other samples, and the operation that brings them together."""
        main = next((t for t in self.given if t.dim() > 1), None)
        if main is None or not self.steady:
            return None
        # Tokens have no axis of features: two axes are samples and places, in either order.
        axes = (0, 1) if main.dim() > 2 or not main.is_floating_point() else (0,)
        along = next((axis for axis in axes if self.answered(int(main.shape[axis]))), None)
        if along is None or self.between_samples(int(main.shape[along])):
            return None
        if along == 1:
            return self.mixing_behind(int(main.shape[1]))
        if main.dim() > 2 and main.shape[1] < 2:
            return None
        size = int(main.shape[0])
        chosen = (size // 2, size - 1)
        aside = False
        for axis in axes:
            tries = [self.replaced(axis, int(main.shape[axis]), i % int(main.shape[axis])) for i in chosen]
            if all(t is not None and self.kept_apart(t[1], int(main.shape[axis]), t[2]) for t in tries):
                if axis == 0:
                    return {"about": "samples", "n": size, "mixed": 0}
                aside = True
        tried = self.replaced(0, size, chosen[0])
        if tried is None:
            return None
        others = self.others(tried[1], size)
        if others < 1:
            return None
        how = self.brought_together(tried[0], size, chosen[0])
        return {"about": "samples", "n": size, "mixed": others, "aside": aside, **how}

    def mixing_behind(self, size: int) -> dict[str, Any] | None:
        """The same where places come first and samples after them: only a reshape that brings the samples to the front
        is sure to be none of what a single sequence, with its places behind, may go through."""
        tried = self.replaced(1, size, size // 2)
        if tried is None:
            return None
        if self.kept_apart(tried[1], size, tried[2]):
            return {"about": "samples", "n": size, "mixed": 0}
        others = self.others(tried[1], size)
        how = self.brought_together(tried[0], size, tried[2])
        before, after = how.get("shapes") or ([], [])
        brought = how["how"] == "reshape" and len(before) > 1 and 1 < before[0] != size == before[1] == after[0]
        return {"about": "samples", "n": size, "mixed": others, "aside": False, **how} if brought and others else None

    def answered(self, size: int) -> bool:
        """Whether so many are what the output has a row for each of, and what it is compared with."""
        return size > 2 and any(o.dim() and o.shape[0] == size for o in self.outputs) and self.labelled(size)

    def others(self, outputs: list[Any], size: int) -> int:
        """How many rows of the output have changed beside that of the sample which was replaced."""
        pairs = [(a, b) for a, b in zip(self.outputs, outputs) if a.dim() and a.shape[0] == size]
        return max(changed_rows(differ(a, b)) - 1 for a, b in pairs)

    def between_samples(self, size: int) -> bool:
        """Whether the model is told how samples belong together: a graph, or a table of pairs."""
        edges = any(t.dim() == 2 and t.shape[0] == 2 and not t.is_floating_point() for t in self.given)
        tables = [t for t in self.given if t.dim() >= 2 and t.shape[0] == t.shape[1] == size]
        held = [b for b in self.module.buffers() if b.dim() == 2 and b.shape[0] == b.shape[1] == size]
        return edges or bool(tables) or bool(held) or any(t.is_sparse for t in self.given)

    def labelled(self, size: int) -> bool:
        """Whether what meets the output outside the model has one row for each sample, too; of a model that makes its
        loss itself, whether it was given classes beside its input."""
        met = [t for e in self.operations for t in tensors_in((e.args, e.kwargs)) if not t.requires_grad]
        if any(o.dim() == 0 for o in self.outputs):
            met += [t for t in self.given[1:] if not t.is_floating_point() and t.dtype != torch.bool]
        return any(t.dim() and t.shape[0] == size for t in met)

    def replaced(self, axis: int, size: int, place: int) -> tuple[Tape, list[Any], int] | None:
        """Call it with one sample in the place of another, in all tensors that have a row for each."""
        new = {}
        for tensor in self.given:
            if tensor.dim() > axis and tensor.shape[axis] == size:
                changed = tensor.clone()
                changed.select(axis, place).copy_(tensor.select(axis, (place + 1) % size))
                new[id(tensor)] = changed
        return (*self.run(new), place) if new else None

    def kept_apart(self, outputs: list[Any], size: int, place: int) -> bool:
        """Whether only what belongs to the sample itself has changed."""
        masks = [differ(a, b) for a, b in zip(self.outputs, outputs)]
        moved = [m for m in masks if bool(m.any())]
        return bool(moved) and all(apart(m, size, place) is not None or pairwise(m, size, place) for m in moved)

    def brought_together(self, other: Tape, size: int, place: int) -> dict[str, Any]:
        """The first operation after which samples are no longer apart, and what it is."""
        one, two = self.tape.seen, other.seen
        if [s.name for s in one] != [s.name for s in two]:
            return {"op": "", "how": "unknown"}
        parted: dict[int, int] = {}
        for index, (a, b) in enumerate(zip(one, two)):
            made, other_made = first_of(a.out), first_of(b.out)
            if made is None or other_made is None or made.shape != other_made.shape:
                continue
            mask = differ(made, other_made)
            if not bool(mask.any()):
                continue
            axis = apart(mask, size, place)
            if axis is not None:
                parted[id(made)] = axis
                continue
            if pairwise(mask, size, place):
                continue
            blamed = a if a.name in RESHAPES else self.reshaped_before(index, size) or a
            before, other_before = first_of((a.args, a.kwargs)), first_of((b.args, b.kwargs))
            how = "reshape" if blamed.name in RESHAPES else self.manner(a, before, parted)
            if blamed is a and how == "reshape" and apart(differ(before, other_before), size, place) is None:
                # They were together before: in a table of all pairs, say.
                how = "other"
            shapes = [list(t.shape) for t in (*list(tensors_in(blamed.args))[:1], first_of(blamed.out))]
            # Where a layer of torch's does it, the line that built the layer says where its batch axis is.
            frames = [blamed.frames[-1], *blamed.frames] if how in ("recurrent", "attention") else blamed.frames
            return {
                "op": blamed.name, "how": how, "module": blamed.module, "frames": frames[:4], "shapes": shapes,
            }  # fmt: skip
        return {"op": "", "how": "unknown"}

    def reshaped_before(self, index: int, size: int) -> Any:
        """The last operation before that gave the samples' axis another place without moving the samples."""
        for seen in reversed(self.tape.seen[:index]):
            given = next(iter(tensors_in(seen.args)), None)
            if seen.name in RESHAPES and given is not None and isinstance(seen.out, torch.Tensor):
                old, new = list(given.shape), list(seen.out.shape)
                if old and old[0] == size and new and new[0] != size and size in new[1:]:
                    return seen
        return None

    def manner(self, seen: Any, given: Any, parted: dict[int, int]) -> str:
        """In what way an operation reaches over the samples."""
        name = seen.name
        axis = parted.get(id(given), 0)
        dims = None if given is None else axis_of(seen.args, seen.kwargs, given.dim())
        # A single sequence has its places where a batch has its samples.
        sequences = any(t.dim() > 2 or (t.dim() == 2 and not t.is_floating_point()) for t in self.given)
        if name in (*RECURRENT, *ATTENTION):
            return "other" if not sequences else "recurrent" if name in RECURRENT else "attention"
        if name in ("softmax", "log_softmax") and dims == axis:
            return "softmax"
        if name in NORMS and dims == axis:
            return "norm"
        return "other"


def first_of(value: Any) -> Any:
    """The first tensor of what an operation has made."""
    return next(iter(tensors_in(value)), None)


def changed_rows(mask: Any) -> int:
    """Rows in which anything has changed."""
    return int(mask.reshape(mask.shape[0], -1).any(dim=1).sum())


def swapped(value: Any, new: dict[int, Any]) -> Any:
    """The same with other tensors in place of some."""
    if isinstance(value, torch.Tensor):
        return new.get(id(value), value)
    if isinstance(value, tuple):
        parts = [swapped(v, new) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, list):
        return [swapped(v, new) for v in value]
    if type(value) is dict:
        return {k: swapped(v, new) for k, v in value.items()}
    return value
