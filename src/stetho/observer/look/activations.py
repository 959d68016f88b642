"""What layers put out, on the steps that are looked at closely: size, dead units, saturation."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch

from ..guard import guarded
from ..seen.gradients import spread, stride
from ..unseen import unrecorded

if TYPE_CHECKING:
    from ..watch import Watch

# Elements looked at in one output, and layers recorded in one step.
PART = 8_192
LAYERS = 600
# Bounds of activations that saturate, by class name.
BOUNDED = {"Sigmoid": (0.0, 1.0), "Tanh": (-1.0, 1.0), "Hardsigmoid": (0.0, 1.0), "Hardtanh": (-1.0, 1.0)}
# Functions that do the same outside a layer of torch's, by the class that they stand for.
FUNCTIONS = {
    "relu": "ReLU", "relu_": "ReLU", "relu6": "ReLU6", "clamp_min": "ReLU", "clamp_min_": "ReLU", "threshold": "ReLU",
    "sigmoid": "Sigmoid", "sigmoid_": "Sigmoid", "tanh": "Tanh", "tanh_": "Tanh", "hardtanh": "Hardtanh",
}  # fmt: skip
DROPPING = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
LAYERS_OF_THEIR_OWN = ("torch.nn.modules.activation", "torch.nn.modules.dropout")
RECTIFYING = ("ReLU", "ReLU6", "Threshold", "Softshrink", "Hardshrink", "RReLU")


class Activations:
    """Gathers one line per layer and writes them together when the step has ended."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.layers: dict[str, list[Any]] = {}
        self.names: dict[int, str] = {}
        # Outputs of this step with the axis of their units.
        self.axes: dict[int, tuple[weakref.ref[Any], int]] = {}

    @guarded
    def seen(self, running: list[tuple[Any, Any]], module: Any, args: Any, output: Any) -> None:
        """Describe the output of a layer that has no layers of its own; the first call of a step counts."""
        if module._modules or len(self.layers) >= LAYERS:
            return
        value = output[0] if isinstance(output, (tuple, list)) and output else output
        if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not value.numel():
            return
        axis = self.axis(module, args[0] if args else None, value)
        normed = "BatchNorm" in type(module).__name__ and value.dim() > 1
        name = self.name(running, module)
        if name in self.layers:
            return
        with unrecorded():
            self.layers[name] = [name, type(module).__name__, *described(type(module).__name__, value.detach(), axis)]
            share = dropped(args[0], value) if "Dropout" in type(module).__name__ and args else None
            told = [between(value.detach()), value.numel() // value.shape[1] if normed else None]
        made = self.watch.modules.made.get(id(module))
        self.layers[name] += [None if made is None else self.watch.journal.site([made]), share, *told]

    @guarded
    def computed(self, running: list[tuple[Any, Any]], function: str, args: Any, value: Any, site: int) -> None:
        """The same of an activation that a model calls as a function; the line that calls it stands for the layer."""
        kind = "Dropout" if function in DROPPING else FUNCTIONS.get(function)
        inner = running[-1][0] if running else None
        if kind is None or inner is None or type(inner).__module__ in LAYERS_OF_THEIR_OWN:
            return
        if not value.is_floating_point() or value.dim() < 2 or not value.numel() or len(self.layers) >= LAYERS:
            return
        name = f"{self.name(running, inner)}.{function.rstrip('_')}"
        number = 2
        while name in self.layers:
            name, number = f"{name.partition(' ')[0]} {number}", number + 1
        axis = 1 if value.dim() > 3 else value.dim() - 1
        share = dropped(args[0], value) if kind == "Dropout" and args else None
        told = described(kind, value.detach(), axis)
        self.layers[name] = [name, kind, *told, site, share, between(value.detach()), None]

    def axis(self, module: Any, given: Any, value: Any) -> int:
        """Along which axis the units of an output lie: as the layer says, or as they lay in what it was given."""
        found = 1 if value.dim() > 3 else value.dim() - 1
        if hasattr(module, "out_channels") or hasattr(module, "num_features"):
            found = min(1, value.dim() - 1)
        elif not hasattr(module, "out_features"):
            reference, axis = self.axes.get(id(given), (None, found))
            before = None if reference is None else reference()
            if before is not None and before is given and before.shape == value.shape:
                found = axis
        self.axes[id(value)] = (weakref.ref(value), found)
        return found

    def name(self, running: list[tuple[Any, Any]], module: Any) -> str:
        """The path of a layer inside the model that is running, with the model's class."""
        found = self.names.get(id(module))
        if found is None:
            root = running[0][0] if running else module
            for path, part in root.named_modules():
                self.names[id(part)] = f"{type(root).__name__}.{path}" if path else type(root).__name__
            found = self.names.setdefault(id(module), type(module).__name__)
        return found

    def write(self, step: int) -> None:
        """Hand over the layers of the step that has ended."""
        if self.layers:
            self.watch.journal.write("activations", i=step, layers=list(self.layers.values()))
        self.layers = {}
        self.names = {}
        self.axes = {}


def described(kind: str, value: Any, axis: int) -> list[Any]:
    """Mean, standard deviation, share of dead units, share of saturated values, and how many are not finite."""
    flat = value.reshape(-1)
    some = flat if flat.numel() <= PART else flat[:: stride(flat.numel(), value.shape, PART)]
    some = some.float()
    mean = some.mean().item()
    deviation = spread(some, torch.linalg.vector_norm(some).item(), mean)
    # Adding up shows a NaN or Inf anywhere without another pass over the values.
    bad = 0 if deviation - deviation == 0 else int((~torch.isfinite(some)).sum())
    dead = saturated = None
    if kind in RECTIFYING and value.dim() > 1:
        dead = dead_share(value, axis)
    if kind in BOUNDED:
        low, high = BOUNDED[kind]
        margin = 0.01 * (high - low) / 2
        saturated = ((some > high - margin) | (some < low + margin)).float().mean().item()
    return [mean, deviation, dead, saturated, bad]


def between(value: Any) -> float | None:
    """How much an output differs from sample to sample, relative to its size."""
    if value.dim() < 2 or value.shape[0] < 4:
        return None
    rows = value.reshape(value.shape[0], -1)
    rows = rows[:, :: max(1, rows.numel() // PART)].float()
    size = float(rows.pow(2).mean().sqrt())
    return float(rows.std(dim=0).mean()) / size if size > 0 else 0.0


def dropped(given: Any, made: Any) -> float | None:
    """Share of the values, of those that were not zero before, that are zero after dropout."""
    if not isinstance(given, torch.Tensor) or given.shape != made.shape or given is made:
        return None
    before, after = given.detach().reshape(-1)[:PART], made.detach().reshape(-1)[:PART]
    there = before != 0
    count = int(there.sum())
    return int((there & (after == 0)).sum()) / count if count >= 8 else None


def dead_share(value: Any, axis: int) -> float:
    """Share of units (channels of an image, features of a vector) that are zero for the whole batch."""
    units = value.transpose(0, axis).reshape(value.shape[axis], -1)
    if units.numel() > PART * 16:
        units = units[:, :: units.shape[1] // max(1, PART * 16 // units.shape[0]) + 1]
    return float((units == 0).all(dim=1).float().mean())
