"""A few steps seen operation by operation: which line made which value, and what the loss is made of."""

from __future__ import annotations

import functools
import math
import sys
import weakref
from typing import TYPE_CHECKING, Any, Callable, Sequence

import torch
from torch.overrides import TorchFunctionMode

from . import guard, sites
from .disguise import from_caller
from .gradients import PLAIN
from .graph import MOST, node_kind, node_of
from .guard import anywhere, guarded
from .schedule import glimpsed
from .unseen import transformed, unrecorded

if TYPE_CHECKING:
    from .patches import Patches
    from .sites import Place
    from .watch import Watch

KEY = "stetho"
# Nodes that hand a value on without changing it.
PASSING = (
    "View", "UnsafeView", "Reshape", "Squeeze", "Unsqueeze", "Transpose", "T", "Permute", "Clone", "ToCopy", "Slice",
    "Select", "Expand", "Contiguous", "Alias", "Flatten", "Index",
)  # fmt: skip

# Nodes that multiply or divide a value; with one predecessor, by a constant.
FACTORS = ("Mul", "Div")
# Where a hand-written loss puts prediction and label together.
PAIRING = ("sub", "__sub__", "__rsub__", "rsub", "subtract", "gather", "__getitem__")
# Operations whose gradient can be infinite where their value is finite; their input is kept to be looked at.
DELICATE = (
    "Log",
    "Log2",
    "Log10",
    "Log1P",
    "Sqrt",
    "Rsqrt",
    "Pow",
    "Div",
    "Reciprocal",
    "Xlogy",
    "LinalgVectorNorm",
)


class _Mode(TorchFunctionMode):  # type: ignore[misc]
    """Runs each torch function unchanged and shows the tracer what it was given and what it made."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__()
        self.tracer = tracer

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = from_caller(sys._getframe(1))(func, args, kwargs or {})
        tracer = self.tracer
        if guard.away() or transformed():
            return out
        if tracer.looking:
            # Without this, what is computed here would be saved for backward, and activation checkpointing counts that.
            with unrecorded():
                tracer.saw(func, args, kwargs or {}, out)
        if tracer.keeping and isinstance(out, torch.Tensor):
            tracer.keep(func, args, kwargs or {}, out)
        return out


class Tracer:
    """Switches the close look on and off at step boundaries and keeps what it shows.

    Between close looks the same mode runs outside the models only, where a loss is written with plain operations
    and a replay must know them; where library losses do all that work it does not run at all.
    """

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.windows: list[tuple[int, ...]] = [tuple(w) for w in watch.plan.get("trace", [])]
        self.looking = False
        self.checking = False
        self.keeping = False
        self.mode: _Mode | None = None
        self.operations = 0
        self.origins = 0
        self.compiled = False
        # Whether operations outside models and library losses took part in the loss, as the last close look saw it.
        self.plain = False
        # Whether operations outside loaders made what models are called with, and the results that might be that.
        self.prepares = False
        self.recent: dict[int, weakref.ref[Any]] = {}

    def install(self, patches: Patches) -> None:
        """Note whether anything is compiled: inside a compiled graph there are no operations to look at."""
        original = torch.compile
        mine = self

        @functools.wraps(original)
        def compile(*args: Any, **kwargs: Any) -> Any:
            mine.compiling()
            result = original(*args, **kwargs)
            if isinstance(result, torch.nn.Module):
                # Its own call is outside the graph, so what enters and leaves it can be seen.
                mine.watch.modules.adopt(result)
            return result

        patches.replace(torch, "compile", compile)
        backward = torch.Tensor.backward

        @functools.wraps(backward)
        def begun(self: Any, *args: Any, **kwargs: Any) -> Any:
            if torch.compiler.is_compiling() or not mine.lift():
                return backward(self, *args, **kwargs)
            try:
                return backward(self, *args, **kwargs)
            finally:
                mine.lower()

        patches.replace(torch.Tensor, "backward", begun)

    @guarded
    def compiling(self) -> None:
        """The compiler reads hooks as part of a model, and there will be no replay of what it makes."""
        self.compiled = True
        self.stop()
        self.watch.modules.release()
        # It follows constructors into ours, which it cannot read, and may have taken it for torch's own.
        self.watch.patches.drop(torch.nn.Module, "__init__", "torch._dynamo.")
        self.watch.replay.on = False
        self.watch.replay.let_go()

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.recent = {}

    @guarded
    def keep(self, func: Any, args: Any, kwargs: Any, out: Any) -> None:
        """An operation that a replay will need."""
        self.watch.replay.operation(func, args, kwargs, out, 4)

    def look(self, step: int) -> None:
        """Called between steps: look closely at the next one, or stop doing so."""
        if self.compiled:
            return
        if self.recent:
            self.recent = {}
        if not (self.looking or self.windows or self.plain or self.prepares or glimpsed(step)):
            return
        self.checking = any(first <= step < last for first, last in self.windows)
        wanted = self.checking or glimpsed(step)
        if wanted and not self.looking:
            self.plain = self.prepares = False
            self._enter()
            self.looking = self.mode is not None
        elif not wanted and self.looking:
            self.looking = False
            self.watch.modules.activations.write(step - 1)
        elif wanted:
            self.watch.modules.activations.write(step - 1)
        self.watch.modules.watch_closely(wanted)
        self.operations = 0
        self.keeping = False
        if not self.looking:
            # Where no model comes first, or its input is made by operations, these count from here on.
            first = self.prepares or (self.plain and not self.watch.modules.roots)
            if first and self.watch.replay.on:
                self._enter()
                self.keeping = self.mode is not None
            else:
                self._leave()

    def _enter(self) -> None:
        """Put the mode on, where there is none of the user's."""
        if self.mode is None and torch.overrides._len_torch_function_stack() == 0:
            self.mode = _Mode(self)
            self.mode.__enter__()

    def _leave(self) -> None:
        """Take the mode off; below a mode of the user's it stays where it is, and does nothing."""
        if self.mode is not None and torch.overrides._get_current_function_mode() is self.mode:
            self.mode.__exit__(None, None, None)
            self.mode = None

    def lift(self) -> bool:
        """A library loss or backward is called: below a mode it takes another way, and warns of torch's lines."""
        if guard.away() or self.mode is None or torch.overrides._get_current_function_mode() is not self.mode:
            return False
        torch.overrides._pop_mode()
        return True

    def lower(self) -> None:
        """It has returned."""
        if self.looking or self.keeping:
            torch.overrides._push_mode(self.mode)
        else:
            self.mode = None

    def pause(self) -> bool:
        """A loader works: its operations are not the loop's. Whether there is anything to go on with afterwards."""
        if not self.keeping or self.looking:
            return False
        self.keeping = False
        self._leave()
        return True

    def go_on(self) -> None:
        """The loader has delivered."""
        self._enter()
        self.keeping = self.mode is not None

    def input_comes(self, versions: Any) -> None:
        """A model is called: note whether operations of this step made what it is given."""
        recent = [self.recent[id(t)]() is t for t, _ in versions if id(t) in self.recent]
        self.prepares = self.prepares or any(recent)

    def suspend(self) -> None:
        """A model begins: what happens inside it is found by calling it again."""
        self.keeping = False
        if not self.looking and self.mode is not None:
            self._leave()

    def resume(self) -> None:
        """A model has ended: what follows it, up to backward, is part of the loss."""
        if self.compiled or not self.watch.replay.on:
            return
        if self.looking:
            self.keeping = True
        elif self.plain:
            self._enter()
            self.keeping = self.mode is not None

    def backward_begins(self) -> None:
        """The loss is complete."""
        self.keeping = False
        if not self.looking and self.mode is not None:
            self._leave()

    def stop(self) -> None:
        """Look at nothing any more."""
        self.looking = self.checking = self.keeping = False
        self._leave()
        self.watch.modules.watch_closely(False)

    @guarded
    def saw(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any], out: Any) -> None:
        """Note on the graph which line made this value, and check whether it is still finite."""
        if not isinstance(out, torch.Tensor):
            return
        self.operations += 1
        if self.operations > MOST:
            self.looking = self.checking = False
            return
        name = getattr(func, "__name__", "")
        if name in ("__get__", "__set__", "detach", "backward", "requires_grad_"):
            return
        node = node_of(out)
        if node is None and not self.watch.modules.depth and not self.watch.data.loading and len(self.recent) < 512:
            self.recent[id(out)] = weakref.ref(out)
        frames = None
        if node is not None and KEY not in node.metadata:
            frames = self.frames()
            # A copy: `loss += term` writes into the very tensor that held the first term.
            value = out.detach().clone() if out.numel() == 1 else None
            node.metadata[KEY] = (name, frames, value)
            if not self.plain and not self.watch.modules.depth and not self.watch.objectives.inside:
                self.plain = True
        if name in PAIRING and not self.watch.objectives.inside:
            self._labels_beside(args)
        # What is spread over several processes is not asked: the answer would take all of them.
        if self.checking and type(out) in PLAIN and out.is_floating_point():
            self._check_finite(name, args, kwargs, out, frames)

    def _labels_beside(self, args: Sequence[Any]) -> None:
        """A loss written with plain operations meets its labels where a prediction meets a constant of its size."""
        tensors = [a for a in args if isinstance(a, torch.Tensor)]
        if len(tensors) != 2 or tensors[0].requires_grad == tensors[1].requires_grad:
            return
        given, other = tensors if tensors[0].requires_grad else tensors[::-1]
        if other.dim() and given.dim() and given.shape[0] == other.shape[0] > 1 and given.numel() >= other.numel():
            with unrecorded():
                self.watch.data.loss_seen(other)
                share = explained(given, other)
                if share is not None:
                    self.watch.journal.write("fit", step=self.watch.step, r2=share)

    def frames(self) -> list[Place]:
        """The user's frames, led by the line that built the layer when a library layer does the work."""
        found = sites.user_frames(5, 4)
        made = self.watch.modules.layer_made_at(found[0] if found else None)
        return ([made] if made else []) + sites.places(found)

    def _check_finite(
        self, name: str, args: Sequence[Any], kwargs: dict[str, Any], out: Any, frames: list[Place] | None
    ) -> None:
        """Record the operation when it made a NaN or Inf out of finite input; those after it only pass it on."""
        if self.origins >= 5 or bool(torch.isfinite(out).all()):
            return
        tensors: list[Any] = []
        scalars: list[float] = []
        for value in list(args) + list(kwargs.values()):
            if isinstance(value, torch.Tensor):
                tensors.append(value)
            elif isinstance(value, float):
                scalars.append(value)
            elif isinstance(value, (list, tuple)):
                tensors += [v for v in value if isinstance(v, torch.Tensor)]
        # A mask is filled with -inf on purpose; that is not where numbers go wrong.
        if not tensors or any(not math.isfinite(s) for s in scalars):
            return
        if any(t.is_floating_point() and not bool(torch.isfinite(t).all()) for t in tensors):
            return
        self.origins += 1
        self._write_origin(name, "forward", frames or self.frames(), tensors[0], tensors[1:])

    def _write_origin(self, name: str, phase: str, frames: list[Place], given: Any, others: Sequence[Any] = ()) -> None:
        """Record where numbers stopped being finite, with the range and zeros of what went in: they tell why."""
        number = given.detach().float()
        divisor = others[0].detach() if others and name in ("div", "true_divide", "__rtruediv__", "divide") else None
        self.watch.journal.write(
            "origin",
            step=self.watch.step,
            op=name,
            phase=phase,
            site=self.watch.journal.site(frames),
            low=float(number.min()) if number.numel() else None,
            high=float(number.max()) if number.numel() else None,
            zeros=int((number == 0).sum()),
            size=number.numel(),
            divisor_zeros=int((divisor == 0).sum()) if divisor is not None else 0,
            graph=given.requires_grad,
        )

    def walk(self, loss: Any, retain: bool) -> None:
        """Follow the graph from the loss: which parameters it reaches, its terms, and a watch on each gradient."""
        node = loss.grad_fn
        if node is None:
            self.watch.modules.graph_walked([], 0, retain)
            return
        if loss.numel() == 1:
            self._write_terms(loss)
        leaves: list[Any] = []
        seen, waiting = {node}, [node]
        while waiting:
            node = waiting.pop()
            variable = getattr(node, "variable", None)
            if variable is not None:
                leaves.append(variable)
            elif self.checking and len(seen) < MOST:
                node.register_hook(_gradient_watch(self, node))
            for following, _ in node.next_functions:
                if following is not None and following not in seen:
                    seen.add(following)
                    waiting.append(following)
        self.watch.modules.graph_walked(leaves, len(seen), retain)

    def _write_terms(self, loss: Any) -> None:
        """What is added up to the loss: the operations under its additions, with their values and lines."""
        parts: list[Any] = []
        top, total = loss.grad_fn, loss.detach()
        while node_kind(top) in FACTORS and len(inner := [n for n, _ in top.next_functions if n is not None]) == 1:
            # Divided by the number of micro-batches, or multiplied by a gradient scaler.
            top = inner[0]
            total = top.metadata.get(KEY, (None, None, None))[2]
        waiting = [top]
        while waiting and len(parts) < 32:
            node = waiting.pop(0)
            kind = node_kind(node)
            known = node.metadata.get(KEY)
            if kind in ("Add", "Sub") and (known is None or known[2] is not None):
                waiting += [n for n, _ in node.next_functions if n is not None]
            elif known is not None and known[2] is not None:
                parts.append([known[0], self.watch.journal.site(known[1]), float(known[2])])
        if len(parts) > 1 and total is not None:
            self.watch.journal.write("terms", step=self.watch.step, total=float(total), parts=parts)

    @anywhere
    def gradient_seen(self, shown: _Shown, into: Sequence[Any], came: Sequence[Any]) -> None:
        """Record the node when finite gradients came to it and it sent on a NaN or Inf."""
        if self.origins >= 5 or not any(_bad(g) for g in into) or any(_bad(g) for g in came):
            return
        self.origins += 1
        given = shown.given if shown.given is not None else next(g for g in came if g is not None)
        self._write_origin(shown.name, "backward", shown.frames, given)

    def produced(self, value: Any) -> tuple[str, list[Place]] | None:
        """The operation that made a value, and the user's frames that called it."""
        node = node_of(value)
        for _ in range(12):
            if node is None:
                return None
            kind = node_kind(node)
            if kind not in PASSING:
                name, frames, _ = node.metadata.get(KEY, (kind.lower(), [], None))
                return name, frames
            node = node.next_functions[0][0] if node.next_functions else None
        return None


class _Shown:
    """What a gradient hook may know of its node. Not the node itself: that cycle would keep the graph alive."""

    def __init__(self, node: Any) -> None:
        kind = node_kind(node)
        self.name: str
        self.frames: list[Place]
        self.name, self.frames, _ = node.metadata.get(KEY, (kind.lower(), [], None))
        self.given: Any = _saved(node) if kind in DELICATE else None


def _gradient_watch(tracer: Tracer, node: Any) -> Callable[[Any, Any], None]:
    """A hook for one node that shows the tracer the gradients it sends on and those that came to it."""
    shown = _Shown(node)

    def seen(into: Any, came: Any) -> None:
        with unrecorded():
            tracer.gradient_seen(shown, into, came)

    return seen


def explained(given: Any, target: Any) -> float | None:
    """Share of the targets' variance that predictions of the same shape account for."""
    if given.shape != target.shape or not target.is_floating_point() or target.numel() < 8:
        return None
    number = target.float()
    # What each output varies by itself: that two outputs have different means is nothing to be proud of.
    several = number.dim() > 1 and number.shape[0] >= 8
    columns = number.reshape(number.shape[0], -1) if several else number.reshape(-1, 1)
    spread = float(columns.var(dim=0, unbiased=False).mean())
    return 1 - float((given - target).float().pow(2).mean()) / spread if spread > 0 else None


def _bad(gradient: Any) -> bool:
    """Whether a gradient is there and holds a NaN or Inf."""
    if gradient is None or not gradient.is_floating_point() or gradient.is_sparse:
        return False
    return not bool(torch.isfinite(gradient).all())


def _saved(node: Any) -> Any:
    """The input that the operation kept for its gradient, when it kept one."""
    try:
        value = getattr(node, "_saved_self", None)
    except RuntimeError:
        return None
    return value.detach() if isinstance(value, torch.Tensor) and value.is_floating_point() else None
