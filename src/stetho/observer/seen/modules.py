"""Modules: which ones are whole models, how they are called, where layers were built."""

from __future__ import annotations

import functools
import sys
import time
import weakref
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.modules import module as place

from .. import sites
from ..guard import guarded
from ..look.activations import Activations
from ..schedule import fingerprinted
from ..unseen import transformed
from .data import EVALUATED
from .roots import ANY, Root, mode, symbolic, unhook

# Switches to evaluation mode whose lines are on record.
SWITCHES = 8

if TYPE_CHECKING:
    from types import FrameType

    from ..patches import Patches
    from ..sites import Place
    from ..watch import Watch


class Modules:
    """What is known about the program's modules and parameters."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.made: dict[int, Place] = {}
        self.arguments: dict[int, dict[str, Any]] = {}
        self.running: list[tuple[Any, FrameType | None]] = []
        self.parents: dict[int, tuple[weakref.ref[Any], weakref.ref[Any]]] = {}
        self.roots: dict[int, Root] = {}
        # Calls, by mode, of models that are no longer followed.
        self.earlier: dict[tuple[bool, bool], int] = {}
        self.modes_written = 0
        self.calls = 0
        self.close = False
        self.depth = 0
        # The model whose last call may have been evaluation or training; the next step tells.
        self.unclear: Root | None = None
        # Whether the call under way is one for training, as far as an experiment can tell before its step.
        self.training = False
        # Whether the call under way is recorded in a graph, and the line that makes it.
        self.recording = True
        self.called_at: list[Place] | None = None
        self.switches = 0
        self.evaluating: float | None = None
        self.evaluation = 0.0
        self.last_evaluated = 0.0
        self.activations = Activations(watch)

    def install(self, patches: Patches) -> None:
        """Follow every module from its making; calls are followed from the first optimizer on."""
        original = torch.nn.Module.__init__
        mine = self

        @functools.wraps(original)
        def made(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            mine.module_made(self)

        patches.replace(torch.nn.Module, "__init__", made)
        patches.replace(torch.nn.Module, "eval", self._switching(torch.nn.Module.eval))
        for name in ("script", "trace", "trace_module"):
            patches.replace(torch.jit, name, self._read(getattr(torch.jit, name), patches))
        self.watch_closely(True)

    def _switching(self, original: Any) -> Any:
        """A model's switch to evaluation mode, with its line on record the first times."""
        mine = self

        @functools.wraps(original)
        def switched(module: Any) -> Any:
            if mine.switches < SWITCHES:
                mine.switched()
            return original(module)

        return switched

    @guarded
    def switched(self) -> None:
        self.switches += 1
        self.watch.journal.write("eval", site=self.watch.journal.site(sites.here(2, 4)), step=self.watch.step)

    def _read(self, compiler: Any, patches: Patches) -> Any:
        """A compiler that reads hooks as part of a model, functions by their source and names by their frame."""
        mine = self

        @functools.wraps(compiler)
        def compiled(*args: Any, **kwargs: Any) -> Any:
            mine.released()
            lifted = mine.watch.tracer.lift()
            try:
                with patches.lifted():
                    return compiler(*args, **kwargs)
            finally:
                if lifted:
                    mine.watch.tracer.lower()

        return compiled

    def watch_closely(self, close: bool) -> None:
        """Follow the calls of every module, or only those of whole models, as far as these could be hooked."""
        close = close or not all(r.hooked for r in self.roots.values())
        if close == self.close:
            return
        self.close = close
        if close:
            place._global_forward_pre_hooks[ANY] = self.entering_any
            place._global_forward_hooks[ANY] = self.leaving_any
            place._global_forward_hooks_always_called[ANY] = True
        else:
            place._global_forward_pre_hooks.pop(ANY, None)
            place._global_forward_hooks.pop(ANY, None)
            place._global_forward_hooks_always_called.pop(ANY, None)
            self.running = []

    def release(self) -> None:
        """Take every hook off again."""
        modules = self.live_roots()
        self.drop(list(self.roots))
        self.watch_closely(False)
        for module in modules:
            unhook(module)
        self.depth = 0

    @guarded
    def released(self) -> None:
        """The same from inside a function of the program's."""
        self.release()

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.running = []

    def drop(self, keys: list[int]) -> None:
        """Follow these models no longer; how often they were called stays on record."""
        for root in [self.roots.pop(key) for key in keys]:
            for key, calls in root.modes.items():
                self.earlier[key] = self.earlier.get(key, 0) + calls

    def live_roots(self) -> list[Any]:
        """The whole models that still exist."""
        return [m for m in (r.module() for r in self.roots.values()) if m is not None]

    @guarded
    def module_made(self, module: Any) -> None:
        """Remember the user's line that built the module, and the plain values it was built with."""
        # What stood at this address before is gone.
        for known in (self.made, self.arguments, self.parents):
            known.pop(id(module), None)
        found = sites.user_frames(4, 4)
        # A class of the user's is built where it is called, not where its constructors call each other.
        while len(found) > 1 and found[0].f_code.co_name == "__init__" and sites.scope(found[0]).get("self") is module:
            found.pop(0)
        if found:
            self.made[id(module)] = sites.places(found)[0]
        frame = sys._getframe(3)
        # The constructor of a class of the user's has so far only its arguments as local names.
        if frame.f_code.co_name == "__init__" and sites.user_file(frame.f_code.co_filename) is not None:
            names = sites.scope(frame)
            if names.get("self") is module:
                plain = {k: v for k, v in names.items() if k != "self" and sites.is_plain(v)}
                self.arguments[id(module)] = plain

    def layer_made_at(self, user_frame: FrameType | None) -> Place | None:
        """The line that built the library layer now running, when it runs below the user's innermost frame."""
        if not self.running or user_frame is None:
            return None
        module, depth_frame = self.running[-1]
        if type(module).__module__.startswith("torch.nn.") and depth_frame is user_frame:
            return self.made.get(id(module))
        return None

    def elsewhere(self) -> bool:
        """Whether this call is not one of the program's own: inside backward, or a transformation."""
        return self.watch.backwards.inside or transformed()

    # Hooks on every module, on the steps that are looked at closely.

    @guarded
    def entering_any(self, module: Any, args: Any) -> Any:
        """Before any module's forward: keep the stack of running modules; the first is a whole model."""
        if self.elsewhere():
            self.watch.run.out_of_reach()
            return None
        result = None
        root = self.roots.get(id(module))
        if root is not None and root.module() is not module:
            # A model that is gone stood at this address.
            root = None
        if not self.running and (self.adopt(module) if root is None else not root.hooked):
            # Hooks of its own, if it just got them, were looked up before that; from its way out on they are called.
            result = self.entering(module, args, keywords())
        self.enter_any(module)
        if result is None:
            return None
        # A hook for all modules can replace what is given by position only; the names are in the caller's own table.
        keywords().update(result[1])
        return result[0]

    def enter_any(self, module: Any) -> None:
        found = sites.user_frames(1, 4) if self.watch.tracer.looking else []
        self.running.append((module, found[0] if found else None))
        if len(self.running) > 1:
            self.parents.setdefault(id(module), (weakref.ref(module), weakref.ref(self.running[-2][0])))

    @guarded
    def leaving_any(self, module: Any, args: Any, output: Any) -> Any:
        """After any module's forward; takes off the stack what an exception may have left there, too."""
        if self.elsewhere():
            return None
        if self.watch.tracer.looking and torch.is_grad_enabled():
            self.activations.seen(self.running, module, args, output)
        while self.running:
            if self.running.pop()[0] is module:
                break
        root = self.roots.get(id(module)) if not self.running else None
        if root is None or root.hooked:
            return None
        return self.leaving(module, args, {}, output)

    # Hooks on whole models, on every step.

    @guarded
    def adopt(self, module: Any) -> bool:
        """Treat a module as a whole model from now on, by hooks of its own where its tables of hooks are free."""
        first = next(module.parameters(), None)
        if first is None or first.is_meta:
            return False
        self.drop([key for key, known in self.roots.items() if known.module() is None])
        root = self.roots[id(module)] = Root(module)
        root.hook(self.entering, self.leaving)
        return True

    @guarded
    def entering(self, module: Any, args: Any, kwargs: Any) -> Any:
        """Before a whole model's forward; what it returns, if anything, replaces the model's input."""
        if self.elsewhere() or symbolic(args, kwargs):
            return None
        self.depth += 1
        if self.depth > 1:
            return None
        changed = self.change(module, args, kwargs) if self.watch.run.calls else None
        if changed is not None:
            args, kwargs = changed
        self.model_called(module, args, kwargs)
        return changed

    def change(self, module: Any, args: Any, kwargs: Any) -> Any:
        """Let the experiment have its way with a call; what it returns replaces the model's input."""
        root, run = self.roots.get(id(module)), self.watch.run
        self.training = torch.is_grad_enabled() and (module.training or root is None or not root.trained)
        run.fire("entering", module, self.training)
        return (run.model_input if self.training else run.idle_input)(module, args, kwargs)

    def model_called(self, module: Any, args: Any, kwargs: Any) -> None:
        """Tell training from evaluation, and hand the input to those who look at it."""
        root = self.roots.get(id(module))
        if root is None:
            return
        watch, grad, training = self.watch, torch.is_grad_enabled(), module.training
        # Evaluation that forgets no_grad is told by the mode, once the model has been seen in training mode.
        train = grad and (training or not root.trained)
        root.trained = root.trained or (grad and training)
        root.modes[training, grad] = root.modes.get((training, grad), 0) + 1
        self.calls += 1
        looking = watch.tracer.looking
        if looking or root.at is None:
            root.at = sites.here(3, 4)
        self.recording, self.called_at = grad, root.at
        self.unclear = root if grad and not train else None
        if train:
            watch.procedure.mark("f")
            if self.evaluating is not None:
                self.end_evaluation()
            watch.replay.entering(module, args, kwargs, root.at)
            shown = fingerprinted(watch.step)
        else:
            watch.procedure.mark("e")
            # Of many batches the first ones; of later evaluations, what each begins with.
            most = EVALUATED if self.evaluating is not None else 2 * EVALUATED
            if self.evaluating is None:
                self.evaluating = time.perf_counter()
            watch.replay.entering_idle(module, args, kwargs, root.at)
            shown = watch.data.evaluated < most
        if looking and grad:
            watch.reach.asks_for_gradients(args, kwargs)
        if watch.tracer.mode is not None:
            watch.tracer.suspend()
        if shown:
            watch.data.entering(args, kwargs, train)

    def told_apart(self, order: str) -> str:
        """A step has followed on a call in evaluation mode that could carry gradients: that call was training."""
        root, self.unclear = self.unclear, None
        last = order.rfind("e", 0, max(0, order.find("b")))
        if root is None or last < 0:
            return order
        root.trained = False
        self.watch.data.was_training()
        return order[:last] + "f" + order[last + 1 :]

    @guarded
    def leaving(self, module: Any, args: Any, kwargs: Any, output: Any) -> Any:
        """After a whole model's forward, also when it raised; what it returns, if anything, replaces the output."""
        if self.elsewhere() or symbolic(args, kwargs):
            return None
        self.depth -= 1
        if self.depth > 0:
            return None
        self.depth = 0
        self.model_left(module, output)
        root = self.roots.get(id(module))
        if root is not None and not module.training and root.trained and root.modes.get((False, False)) == 1:
            self.watch.dropping.look(module, args, kwargs)
        return self.watch.run.model_left(module, self.training, output) if self.watch.run.calls else None

    def model_left(self, module: Any, output: Any) -> None:
        """Note the output for the replay, and the mode when this combination is new."""
        watch, grad = self.watch, torch.is_grad_enabled()
        root = self.roots.get(id(module))
        if root is not None and root.modes.get((module.training, grad)) == 1:
            site = watch.journal.site(sites.here(2, 5))
            watch.journal.write("mode", step=watch.step, site=site, **mode(module, output, watch.data.last_shown))
        if self.evaluating is not None:
            self.last_evaluated = time.perf_counter()
        watch.replay.leaving(module, output)
        if grad and (watch.tracer.plain or watch.tracer.looking):
            watch.tracer.resume()

    def end_evaluation(self) -> None:
        """Close a stretch of evaluation: from its first model call to the end of its last."""
        assert self.evaluating is not None
        self.evaluation += max(0.0, self.last_evaluated - self.evaluating)
        self.evaluating = None
        self.watch.evaluations.over()

    def write_modes(self) -> None:
        """How often models were called in which mode, so far."""
        if self.calls == self.modes_written:
            return
        self.modes_written = self.calls
        counts = dict(self.earlier)
        for root in self.roots.values():
            for key, calls in root.modes.items():
                counts[key] = counts.get(key, 0) + calls
        self.watch.journal.write("modes", counts=[[t, g, n] for (t, g), n in counts.items()])


def keywords() -> dict[str, Any]:
    """The keyword arguments of the call that a hook for all modules was reached by, which it is not told."""
    frame: FrameType | None = sys._getframe(2)
    for _ in range(4):
        if frame is None:
            break
        if frame.f_code.co_name in ("inner", "_call_impl") and frame.f_code.co_filename == place.__file__:
            found = sites.scope(frame).get("kwargs")
            return found if isinstance(found, dict) else {}
        frame = frame.f_back
    return {}
