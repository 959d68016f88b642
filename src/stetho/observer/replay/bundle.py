"""The failing step written down, in the twin: every operation with its arguments, and the tensors it began with.

The tensors go into one file that torch reads without running code; the operations are plain JSON. `stetho repro`
makes a program of them that needs nothing but torch.
"""

from __future__ import annotations

import json
import math
import os
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import resolve_name

from .kept import everything_in

if TYPE_CHECKING:
    from .tape import Seen

FOLDER = "failing-step"
# Bytes of tensors that are written at most.
LARGEST = 512 * 1024 * 1024


class Unwritable(Exception):
    """The step holds something that cannot be written down."""


class Bundle:
    """Names for tensors, and everything else as plain values."""

    def __init__(self, leaves: dict[int, Any]) -> None:
        self.leaves = leaves  # tensors that no operation made, as they were when the step began
        self.names: dict[int, str] = {}
        self.nameless: dict[int, str] = {}  # tensors that no public function made
        self.tensors: dict[str, Any] = {}
        self.size = 0

    def write(self, directory: str, operations: list[Seen], loss: Any, origin: dict[str, Any]) -> None:
        """Write the step into a folder beside the recording, whole or not at all."""
        steps = [self.step(seen) for seen in operations]
        body = {
            "operations": [s for s in steps if s is not None],
            "loss": self.tensor(loss),
            "value": str(float(loss.detach())),
            "origin": {k: v for k, v in origin.items() if k != "frames"},
            "where": origin.get("frames", [])[:1],
            "torch": str(torch.__version__),
        }
        folder = os.path.join(directory, FOLDER)
        os.makedirs(folder, exist_ok=True)
        torch.save(self.tensors, os.path.join(folder, "tensors.pt"))
        with open(os.path.join(folder, "step.json"), "w", encoding="utf-8") as out:
            json.dump(body, out)

    def step(self, seen: Seen) -> dict[str, Any] | None:
        """One operation: its public name, its arguments, the names of what it makes, and its line."""
        if seen.random is not None:
            return {"random": self.leaf(seen.random, "random")}
        outputs = list(everything_in(seen.out))
        if not outputs and not seen.wrote:
            # It switched something, or read a number; each operation says by itself how it ran.
            return None
        function = getattr(seen.function, "__wrapped__", seen.function)
        name = resolve_name(function) or resolve_name(seen.function)
        if name is None:
            own = getattr(seen.function, "__name__", seen.name)
            self.nameless.update((id(tensor), own) for tensor in outputs)
            return None
        args = [self.value(a) for a in seen.args]
        kwargs = {k: self.value(v) for k, v in seen.kwargs.items()}
        made = [self.names.setdefault(id(tensor), f"t{len(self.names)}") for tensor in outputs]
        return {
            "op": name,
            "args": args,
            "kwargs": kwargs,
            "out": made,
            "at": list(seen.frames[0][:2]) if seen.frames else None,
            "module": seen.module,
            "grad": seen.grad,
            "amp": None if seen.amp is None else str(seen.amp),
        }

    def leaf(self, tensor: Any, name: str) -> str:
        """Keep a tensor that no operation made, under a name of its own."""
        label = f"{name}{len(self.tensors)}"
        self.size += tensor.numel() * tensor.element_size()
        if self.size > LARGEST:
            raise Unwritable("its tensors are larger than may be written")
        self.names[id(tensor)] = label
        self.tensors[label] = tensor.detach().clone().requires_grad_(tensor.requires_grad)
        return label

    def value(self, value: Any) -> Any:
        """An argument as JSON: what is not a plain value is tagged with its kind."""
        if isinstance(value, torch.Tensor):
            return {"tensor": self.tensor(value)}
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": str(value)}
        if isinstance(value, slice):
            return {"slice": [self.value(v) for v in (value.start, value.stop, value.step)]}
        if value is Ellipsis:
            return {"ellipsis": True}
        if isinstance(value, (tuple, list)):
            return {"tuple" if isinstance(value, tuple) else "list": [self.value(v) for v in value]}
        if isinstance(value, (torch.dtype, torch.device, torch.memory_format, torch.layout)):
            return {"torch": str(value) if not isinstance(value, torch.device) else f"torch.device('{value}')"}
        raise Unwritable(f"an argument is a {type(value).__name__}")

    def tensor(self, tensor: Any) -> str:
        """The name of a tensor; one that is met for the first time was there before the step."""
        known = self.names.get(id(tensor))
        if known is not None:
            return known
        if id(tensor) in self.nameless:
            own = self.nameless[id(tensor)]
            raise Unwritable(f"{own} is a function of the program's own, with a gradient written by hand")
        kept = self.leaves.get(id(tensor))
        if kept is None:
            raise Unwritable("a value was made where it could not be seen")
        label = self.leaf(kept, "p" if tensor.requires_grad else "x")
        self.names[id(tensor)] = label
        return label
