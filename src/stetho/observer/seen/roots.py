"""Whole models: those that no other module calls, with hooks of the observer's that nobody gets to see."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import torch

from ..tensors import tensors_in

if TYPE_CHECKING:
    from ..sites import Place

# One key for the table of all modules, another for a model's own: what torch notes for the one holds for the other.
ANY, KEY = "stetho-any", "stetho"
TABLES = (
    "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_forward_hooks", "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
)  # fmt: skip


class Unseen(OrderedDict):  # type: ignore[type-arg]
    """A table of hooks that pickles and copies as if the observer's entry were not in it."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        plain = OrderedDict((k, v) for k, v in self.items() if k != KEY)
        return plain.__reduce_ex__(protocol)


class Root:
    """What is remembered of a whole model: one that no other module calls."""

    def __init__(self, module: Any) -> None:
        self.module = weakref.ref(module)
        self.trained = False
        self.hooked = True
        self.at: list[Place] | None = None
        self.modes: dict[tuple[bool, bool], int] = {}

    def hook(self, entering: Any, leaving: Any) -> None:
        """Have the model call back, where its tables of hooks are free."""
        module: Any = self.module()
        self.hooked = not isinstance(module, torch.jit.ScriptModule) and not any(vars(module).get(t) for t in TABLES)
        if not self.hooked:
            # A handle of the user's points at these very tables, and in them we would be pickled with the model.
            return
        for table in TABLES:
            vars(module)[table] = Unseen()
            vars(module)[table][KEY] = True
        module._forward_pre_hooks[KEY] = entering
        module._forward_hooks[KEY] = leaving


def unhook(module: Any) -> None:
    """Take the hooks off again."""
    for table in TABLES:
        getattr(module, table).pop(KEY, None)


def mode(module: Any, output: Any, given: Any) -> dict[str, Any]:
    """How a model is called: its mode and that of its layers, and the types of what goes in and comes out."""
    counts = {"norm_eval": 0, "norm_train": 0, "dropout_eval": 0, "dropout_train": 0}
    for layer in module.modules():
        kind, phase = type(layer).__name__, "train" if layer.training else "eval"
        if "BatchNorm" in kind or "InstanceNorm" in kind:
            counts[f"norm_{phase}"] += 1
        elif "Dropout" in kind:
            counts[f"dropout_{phase}"] += 1
    made = next(tensors_in(output), None)
    return {
        "training": module.training,
        "grad": torch.is_grad_enabled(),
        "autocast": autocast(),
        "in": None if given is None else str(given).replace("torch.", ""),
        "out": None if made is None else str(made.dtype).replace("torch.", ""),
        "out_grad": made is not None and made.requires_grad,
        "device": None if made is None else str(made.device),
        **counts,
    }


def autocast() -> str | None:
    """The type that operations are cast to just now, if they are."""
    for device in ("cuda", "cpu"):
        try:
            if torch.is_autocast_enabled(device):
                return str(torch.get_autocast_dtype(device)).replace("torch.", "")
        except TypeError:  # before 2.4 the functions took no device
            if torch.is_autocast_enabled() if device == "cuda" else torch.is_autocast_cpu_enabled():
                return "half"
    return None


def symbolic(args: Any, kwargs: Any) -> bool:
    """Whether a call is made for its shapes alone, as Keras builds its models."""
    if args and type(args[0]) is torch.Tensor:
        return bool(args[0].is_meta)
    return any(tensor.is_meta for tensor in tensors_in((args, kwargs)))
