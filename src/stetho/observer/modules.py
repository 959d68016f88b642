"""Modules and parameters: who calls whom, where layers were built, which parameters the optimizers hold."""

from __future__ import annotations

import base64
import ctypes
import functools
import weakref
from typing import TYPE_CHECKING, Any, Iterable, Iterator

import torch

from . import sites
from .guard import guarded

if TYPE_CHECKING:
    from types import FrameType

    from .sites import Place
    from .watch import Watch, Watched

# Steps during which every call of a whole model is looked at, and samples kept from them.
WATCHED_STEPS = 60
KEPT_SAMPLES = 1500
KEPT_FEATURES = 128


class Modules:
    """What is known about the program's modules and parameters."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.made: dict[int, Place] = {}
        self.running: list[tuple[Any, FrameType | None]] = []
        self.parents: dict[int, tuple[weakref.ref[Any], weakref.ref[Any]]] = {}
        self.roots: dict[int, weakref.ref[Any]] = {}
        self.scopes: list[tuple[int, Place, str, weakref.ref[Any], frozenset[int]]] = []
        self.reached: dict[int, Any] = {}
        self.loaded: set[int] = set()
        self.written = False
        self.handles: list[Any] = []
        self.last_input: Any = None
        self.kept = 0
        self.inputs_written = 0

    def install(self) -> None:
        """Follow every module from its making through its calls, whatever class it is of."""
        module = torch.nn.Module
        original, load = module.__init__, module.load_state_dict
        mine = self

        @functools.wraps(original)
        def made(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            mine.module_made(self)

        @functools.wraps(load)
        def load_state_dict(self: Any, *args: Any, **kwargs: Any) -> Any:
            result = load(self, *args, **kwargs)
            mine.state_loaded(self)
            return result

        module.__init__ = made
        module.load_state_dict = load_state_dict
        from torch.nn.modules import module as place

        self.handles = [
            place.register_module_forward_pre_hook(self.entering),
            place.register_module_forward_hook(self.leaving, always_call=True),
        ]

    @guarded
    def module_made(self, module: Any) -> None:
        """Remember the user's line that built the module."""
        found = sites.user_frames(1, 4)
        if found:
            self.made[id(module)] = sites.places(found)[0]

    @guarded
    def state_loaded(self, module: Any) -> None:
        """Remember which parameters came from a checkpoint: those may be left out of training on purpose."""
        self.loaded.update(id(p) for p in module.parameters())

    def layer_made_at(self, user_frame: FrameType | None) -> Place | None:
        """The line that built the library layer now running, when it runs below the user's innermost frame."""
        if not self.running or user_frame is None:
            return None
        module, depth_frame = self.running[-1]
        if type(module).__module__.startswith("torch.nn.") and depth_frame is user_frame:
            return self.made.get(id(module))
        return None

    def entering(self, module: Any, args: Any) -> Any:
        """Hook before a module's forward; what it returns, if anything, replaces the input of a whole model."""
        self.enter(module, args)
        whole = len(self.running) == 1 and id(module) in self.roots
        if self.watch.run.changes_inputs and whole and module.training and torch.is_grad_enabled():
            return self.watch.run.model_input(module, args)
        return None

    @guarded
    def enter(self, module: Any, args: Any) -> None:
        """Keep the stack of running modules: the first is a whole model, each other is called by the one below it."""
        with torch._C.DisableTorchFunction(), torch.no_grad():
            if self.watch.tracer.looking:
                found = sites.user_frames(1, 4)
                self.running.append((module, found[0] if found else None))
            else:
                self.running.append((module, None))
            if len(self.running) == 1 and next(module.parameters(), None) is not None:
                if id(module) not in self.roots:
                    self.roots[id(module)] = weakref.ref(module)
                self.model_called(module, args)
            elif len(self.running) > 1:
                self.parents.setdefault(id(module), (weakref.ref(module), weakref.ref(self.running[-2][0])))

    def leaving(self, module: Any, args: Any, output: Any) -> None:
        """Hook after a module's forward; takes off the stack what an exception may have left there, too."""
        while self.running:
            if self.running.pop()[0] is module:
                break

    def model_called(self, module: Any, args: Any) -> None:
        """Keep the input for the labels to come, and record its scale now and then."""
        tensors = [a for a in args if isinstance(a, torch.Tensor) and a.dim() > 0]
        self.last_input = tensors[0].detach() if tensors and module.training else None
        step = self.watch.step
        value = self.last_input
        if value is None:
            return
        looking = self.watch.tracer.looking and not bool(torch.isfinite(value).all())
        if not looking and (self.inputs_written > 12 or (step > 3 and step % 10)):
            return
        self.inputs_written += 1
        self.watch.journal.write("input", **scale(value), site=self.watch.journal.site(sites.here(2, 5)))

    @guarded
    def loss_seen(self, target: Any) -> None:
        """Keep a few inputs beside their labels, to see later whether the two belong together."""
        value = self.last_input
        if value is None or self.kept >= KEPT_SAMPLES or not isinstance(target, torch.Tensor) or value.dim() < 2:
            return
        if target.dim() == 0 or target.shape[0] != value.shape[0] or target.numel() > 8 * value.shape[0]:
            return
        self.last_input = None
        flat = value.reshape(value.shape[0], -1)
        if flat.shape[1] > KEPT_FEATURES:
            flat = flat[:, :: flat.shape[1] // KEPT_FEATURES + 1]
        labels = target.detach().reshape(target.shape[0], -1)
        self.kept += value.shape[0]
        self.watch.journal.write(
            "pairs",
            x=packed(flat),
            y=packed(labels),
            n=value.shape[0],
            whole=not target.is_floating_point(),
            discrete=not value.is_floating_point(),
        )

    def remember_scope(self, watched: Watched, frames: Iterable[FrameType]) -> None:
        """Which modules can be named where the optimizer is made, in case it should have been given more."""
        for frame in frames:
            place = sites.places([frame])[0]
            for name, value in named_values(frame):
                if isinstance(value, torch.nn.Module):
                    ids = frozenset(id(p) for p in value.parameters())
                    self.scopes.append((watched.index, place, name, weakref.ref(value), ids))

    @guarded
    def graph_walked(self, leaves: list[Any]) -> None:
        """Remember the parameters that the loss reaches."""
        for leaf in leaves:
            self.reached[id(leaf)] = leaf
        self.watch.journal.write("graph", leaves=len(leaves))

    def left_out(self) -> list[Any]:
        """Parameters that the loss reaches and no optimizer holds."""
        held = {id(p) for w in self.watch.optimizers.values() for p in w.parameters()}
        return [p for p in self.reached.values() if id(p) not in held]

    @guarded
    def step_ended(self, step: int) -> None:
        """Write the coverage once the graph is known, and take the hooks off when they have shown enough."""
        if step >= 2 and not self.written:
            self.written = True
            from .coverage import describe

            self.watch.journal.write("coverage", **describe(self))
            self.reached = {} if not self.watch.run.calls else self.reached
        if step >= WATCHED_STEPS and self.handles and not self.watch.run.changes_inputs:
            for handle in self.handles:
                handle.remove()
            self.handles = []
            self.running = []
            self.last_input = None


def named_values(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """Names in scope at a frame, with one level of `self.`."""
    scope = dict(frame.f_globals) if frame.f_code.co_name != "<module>" else {}
    scope.update(frame.f_locals)
    for name, value in list(scope.items()):
        if not name.startswith("__"):
            yield name, value
    owner = frame.f_locals.get("self")
    if owner is not None:
        attributes = dict(getattr(owner, "__dict__", {}))
        if isinstance(owner, torch.nn.Module):
            attributes.update(owner._modules)
        for name, value in attributes.items():
            yield f"self.{name}", value


def scale(value: Any) -> dict[str, Any]:
    """How large an input is and how unevenly its features vary, to tell whether it was normalised."""
    number = value.float()
    fields = {
        "n": number.shape[0],
        "mean": float(number.mean()),
        "std": float(number.std(unbiased=False)) if number.numel() > 1 else 0.0,
        "low": float(number.min()) if number.numel() else 0.0,
        "high": float(number.max()) if number.numel() else 0.0,
        "bad": int((~torch.isfinite(number)).sum()),
        "discrete": not value.is_floating_point() and value.dtype != torch.uint8,
    }
    if number.dim() == 2 and number.shape[0] > 7 and number.shape[1] > 1:
        spread = number.std(dim=0, unbiased=False)
        moving = spread[spread > 1e-12]
        if moving.numel() > 1:
            fields["spread"] = float(moving.max() / moving.min())
    return fields


def packed(value: Any) -> dict[str, Any]:
    """A matrix as base64 of float32, with its shape."""
    number = value.detach().to(device="cpu", dtype=torch.float32).contiguous()
    raw = ctypes.string_at(number.data_ptr(), number.numel() * 4) if number.numel() else b""
    return {"shape": list(number.shape), "b64": base64.b64encode(raw).decode("ascii")}
