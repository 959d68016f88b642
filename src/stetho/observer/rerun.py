"""The replay itself, in the twin: the step again, every operation seen, and the first place where numbers go wrong."""

from __future__ import annotations

import contextlib
import math
import sys
from typing import TYPE_CHECKING, Any, Iterator

import torch
from torch.overrides import TorchFunctionMode

from . import sites
from .bundle import Bundle, Unwritable
from .coverage import names
from .graph import node_kind
from .replay import Backward, Call, Operation, Past, casting, nothing, version
from .tensors import tensors_in
from .trace import KEY
from .twin import unsealed

if TYPE_CHECKING:
    from .replay import Replay

# Functions that read or describe and compute nothing.
SILENT = ("__set__", "requires_grad_", "size", "dim", "numel", "stride", "is_floating_point", "backward")


# Functions that make a NaN out of a row of nothing but minus infinity.
SOFTMAXES = (
    "softmax", "log_softmax", "softmin", "logsumexp", "multi_head_attention_forward", "scaled_dot_product_attention",
    "cross_entropy",
)  # fmt: skip
DIVISIONS = ("div", "true_divide", "divide", "truediv", "rtruediv", "itruediv", "rdiv")


class Seen:
    """One operation of the replay, with what it was given and what it made."""

    def __init__(self, function: Any, args: Any, kwargs: Any, out: Any, frames: list[Any], module: str | None) -> None:
        # A state of the random generator instead of an operation, where a model begins.
        self.random: Any = None
        self.told: dict[str, Any] | None = None
        self.given = (args, kwargs)
        self.grad = torch.is_grad_enabled()
        self.amp = casting()
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.out = out
        self.frames = frames
        self.module = module
        self.name = str(getattr(function, "__name__", function))

    def inputs(self) -> list[Any]:
        return [t for t in tensors_in((self.args, self.kwargs)) if t.is_floating_point()]


class _Everything(TorchFunctionMode):  # type: ignore[misc]
    """Writes every operation down, with a copy of what operations in place overwrite."""

    def __init__(self, rerun: Rerun) -> None:
        super().__init__()
        self.rerun = rerun

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = str(getattr(func, "__name__", ""))
        if name in SILENT:
            return func(*args, **kwargs)
        before = self.rerun.state_of((args, kwargs))
        told = self.rerun.overwritten(name, args) if name.endswith("_") else None
        out = func(*args, **kwargs)
        if name != "__get__" or isinstance(out, torch.Tensor):
            self.rerun.note(func, args, kwargs, out, before)
            if told is not None:
                self.rerun.seen[-1].told = told
        return out


class Rerun:
    """Runs what was kept once more and follows non-finite numbers back to where they came from."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.watch = replay.watch
        self.seen: list[Seen] = []
        self.maker: dict[int, Seen] = {}
        self.alive: list[Any] = []  # keeps ids from being used twice
        self.bad: dict[int, tuple[bool, bool]] = {}
        self.new: dict[int, Any] = {}  # from a tensor of the real step to the replay's
        self.leaves: dict[int, Any] = {}  # tensors that no operation made, as they were when first met
        self.forward_ends = 0
        self.at: list[Any] | None = None
        self.called_at: list[Any] = []
        self.running: list[Any] = []
        self.paths: dict[int, str] = {}

    def findings(self) -> list[dict[str, Any]]:
        """The origin of the first non-finite value, forward or backward."""
        mode = _Everything(self)
        torch.autograd.set_detect_anomaly(False)
        with contextlib.ExitStack() as stack:
            stack.enter_context(torch.enable_grad())
            stack.enter_context(custom_functions(self))
            stack.enter_context(module_stack(self))
            for entry in self.replay.kept:
                if isinstance(entry, Backward):
                    found = self.judge(entry)
                    if found is not None:
                        return [found]
                    continue
                with mode, amp(entry.amp), torch.set_grad_enabled(entry.grad):
                    if isinstance(entry, Call):
                        self.call(entry)
                    else:
                        self.operate(entry)
        return [{"why": "the replay of the step gives finite numbers only"}]

    def call(self, entry: Call) -> None:
        """A model once more, with the random numbers it had."""
        if entry.random is not None:
            torch.set_rng_state(entry.random)
            state = Seen(None, (), {}, None, [], None)
            state.random = entry.random
            self.seen.append(state)
        module = entry.module
        if isinstance(module, torch.nn.parallel.DistributedDataParallel):
            # The wrapper would talk to the other ranks, which are not replaying.
            module = module.module
        self.at = None
        self.called_at = list(entry.at)
        out = module(*self.mapped(entry.args), **self.mapped(entry.kwargs))
        self.pair(entry.out, out)

    def operate(self, entry: Operation) -> None:
        """An operation once more, on the replay's values; one that no model had a part in keeps its own."""
        inputs = list(everything_in((entry.args, entry.kwargs)))
        leaves = [t for t in inputs if isinstance(t, torch.Tensor) and t.requires_grad and t.is_leaf]
        replayed = bool(leaves) or any(id(t) in self.new for t in inputs)
        if not replayed:
            return
        self.at = self.watch.journal.frames(entry.at)
        try:
            self.pair(entry.out, entry.function(*self.mapped(entry.args), **self.mapped(entry.kwargs)))
        finally:
            self.at = None

    def mapped(self, value: Any) -> Any:
        """Arguments with the replay's tensors in place of the real step's."""
        if isinstance(value, torch.Tensor):
            return self.new.get(id(value), value)
        if isinstance(value, Past):
            return self.new.get(id(value), value.value)
        if isinstance(value, tuple):
            made = [self.mapped(v) for v in value]
            return type(value)(*made) if hasattr(value, "_fields") else tuple(made)
        if isinstance(value, list):
            return [self.mapped(v) for v in value]
        if isinstance(value, dict) and type(value) is dict:
            return {k: self.mapped(v) for k, v in value.items()}
        return value

    def pair(self, old: Any, new: Any) -> None:
        """Remember which tensor of the replay stands for which of the real step."""
        for before, after in zip(everything_in(old), everything_in(new)):
            self.new[id(before)] = after
            live = before.reference() if isinstance(before, Past) else None
            if live is not None:
                self.new[id(live)] = after
            self.alive += [before, after]

    # What the mode shows.

    def state_of(self, given: Any) -> list[tuple[Any, int]]:
        """The inputs of an operation about to run; those that no operation made are copied, as it may change them."""
        found = [(t, version(t)) for t in everything_in(given)]
        for tensor, _ in found:
            if id(tensor) not in self.maker and id(tensor) not in self.leaves:
                with torch._C.DisableTorchFunction(), torch.no_grad():
                    self.leaves[id(tensor)] = tensor.detach().clone().requires_grad_(tensor.requires_grad)
                self.alive.append(tensor)
        return found

    def overwritten(self, name: str, args: Any) -> dict[str, Any] | None:
        """What an operation in place is about to overwrite, in numbers."""
        inputs = [t for t in everything_in(args) if t.is_floating_point()]
        if not inputs:
            return None
        with torch._C.DisableTorchFunction(), torch.no_grad():
            divides = name.strip("_") in DIVISIONS and len(inputs) > 1
            return {**numbers(inputs[0]), "divisor_zeros": int((inputs[1] == 0).sum()) if divides else 0}

    def outputs(self, seen: Seen) -> list[Any]:
        """What an operation made, in a fixed order."""
        return list(everything_in(seen.out))

    def note(self, function: Any, args: Any, kwargs: Any, out: Any, before: list[tuple[Any, int]]) -> None:
        """Write one operation down, and on the graph its line."""
        frames = self.at if self.at is not None else self.frames()
        seen = Seen(function, args, kwargs, out, frames, self.module_path())
        self.seen.append(seen)
        self.alive.append(out)
        for tensor in everything_in(out):
            if tensor.is_floating_point() or tensor.is_complex():
                self.bad[id(tensor)] = state(tensor)
            if any(t is tensor and version(t) != v for t, v in before) and id(tensor) in self.maker:
                # In place: what it held before is what the maker of that made.
                seen.args = tuple(a for a in args if a is not tensor)
            self.maker[id(tensor)] = seen
            node = tensor.grad_fn
            if node is not None and KEY not in node.metadata:
                node.metadata[KEY] = seen

    def frames(self) -> list[Any]:
        """The user's frames, led by the line that built the layer when a library layer does the work."""
        found: list[Any] = []
        frame: Any = sys._getframe(3)
        # Beyond the replay's own call of the model the stack is that of the line which set the replay off.
        while frame is not None and frame.f_code is not Rerun.call.__code__ and len(found) < 5:
            if sites.user_file(frame.f_code.co_filename) is not None:
                found.append(frame)
            frame = frame.f_back
        made = self.watch.modules.made.get(id(self.running[-1])) if self.running else None
        inside = sites.places(found)
        library = bool(self.running) and type(self.running[-1]).__module__.startswith("torch.nn.")
        return inside + self.called_at + ([made] if made and library else [])

    def module_path(self) -> str | None:
        """The innermost module that is running, by its path in the model."""
        if not self.running:
            return None
        root, module = self.running[0], self.running[-1]
        if id(module) not in self.paths:
            for path, part in root.named_modules():
                self.paths[id(part)] = path or type(root).__name__
        return self.paths.get(id(module), type(module).__name__)

    # What it means.

    def judge(self, entry: Backward) -> dict[str, Any] | None:
        """Where this loss, or its gradient, first went wrong; None when both are finite."""
        loss = self.new.get(id(entry.loss))
        if loss is None:
            return {"why": "what backward was called on could not be computed again"}
        value = float(loss.detach())
        same = value == entry.value or not (math.isfinite(value) or math.isfinite(entry.value))
        if not same and not math.isclose(value, entry.value, rel_tol=1e-3):
            return {"why": f"the replay gives a loss of {value:.6g} where the step had {entry.value:.6g}"}
        self.forward_ends = len(self.seen)
        found = self.backwards_from(loss) if not math.isfinite(value) else self.gradient_origin(loss)
        if found is not None and "why" not in found:
            self.write_down(loss, found)
        return found

    def write_down(self, loss: Any, found: dict[str, Any]) -> None:
        """Keep the step for `stetho repro`; what stands in the way is told with the origin."""
        try:
            with unsealed():
                Bundle(self).write(self.watch.journal.directory, loss, found)
        except (Unwritable, OSError, RuntimeError, KeyError) as error:
            found["unwritten"] = str(error)[:200]

    def backwards_from(self, tensor: Any) -> dict[str, Any]:
        """Follow the non-finite values from the loss back to the operation that made the first of them."""
        current = self.maker.get(id(tensor))
        if current is None:
            return {"why": "the operation that made the loss was not seen"}
        visited: set[int] = set()
        while id(current) not in visited:
            visited.add(id(current))
            earlier = self.culprit(current)
            if earlier is None:
                return self.described(current)
            if isinstance(earlier, Seen):
                current = earlier
            else:
                return self.leaf(current, earlier)
        return self.described(current)

    def culprit(self, seen: Seen) -> Any:
        """The input that an operation has its non-finite values from: its maker, or the tensor if nobody made it."""
        inputs = [(t, self.state(t)) for t in seen.inputs()]
        masking = seen.name.strip("_") in SOFTMAXES
        for tensor, (nan, _) in inputs:
            if nan:
                return self.maker.get(id(tensor), tensor)
        for tensor, (_, inf) in inputs:
            if inf and not self.intended(tensor, masking):
                return self.maker.get(id(tensor), tensor)
        return None

    def intended(self, tensor: Any, masking: bool) -> bool:
        """Whether infinities were put there on purpose: a value filled with one, or a mask given to a softmax."""
        maker = self.maker.get(id(tensor))
        if maker is None and tensor.requires_grad:
            return False
        if maker is None:
            finite = tensor[torch.isfinite(tensor)]
            below = bool((tensor != math.inf).all())
            return (masking and below) or bool((finite == 0).all()) or not finite.numel()
        given = [v for v in flat((maker.args, maker.kwargs)) if isinstance(v, float)]
        if any(math.isinf(v) for v in given):
            return True
        carriers = [t for t in maker.inputs() if self.state(t)[1]]
        return bool(carriers) and all(self.intended(t, masking) for t in carriers)

    def state(self, tensor: Any) -> tuple[bool, bool]:
        """Whether a tensor holds a NaN, and whether it holds an infinity, as it was when it was made."""
        found = self.bad.get(id(tensor))
        return state(tensor) if found is None else found

    def leaf(self, seen: Seen, tensor: Any) -> dict[str, Any]:
        """A non-finite value that came from outside: a parameter that a step spoiled, or the data."""
        for watched in self.watch.optimizers.values():
            for position, parameter in enumerate(watched.parameters()):
                if parameter is tensor or (
                    parameter.data_ptr() == tensor.data_ptr() and parameter.shape == tensor.shape
                ):
                    return self.spoiled(watched, position, seen)
        given = [t for e in self.replay.kept if isinstance(e, Call) for t, _ in e.versions]
        given += [t for e in self.replay.kept if isinstance(e, Operation) for t in tensors_in((e.args, e.kwargs))]
        if not any(t is tensor for t in given):
            return {"why": "a value that was there before the step, and that the step changes, is not finite"}
        kind = "data" if not tensor.requires_grad else "forward"
        row = (
            next((i for i, part in enumerate(tensor) if not bool(torch.isfinite(part).all())), None)
            if tensor.dim()
            else None
        )
        body = self.described(seen)
        body.update(phase=kind, op="input", sample=row, **numbers(tensor))
        for entry in self.replay.kept:
            if isinstance(entry, Call) and any(t is tensor for t, _ in entry.versions):
                body["frames"] = entry.at
        return self.prepared(tensor) or body

    def prepared(self, tensor: Any) -> dict[str, Any] | None:
        """The operation outside the models that made a spoiled input out of sound data, if one did."""
        made = {id(e.out): e for e in self.replay.kept if isinstance(e, Operation)}
        current, found = made.get(id(tensor)), None
        for _ in range(len(made)):
            if current is None:
                break
            found = current
            spoiled = [t for t in tensors_in((found.args, found.kwargs)) if any(state(t))]
            current = made.get(id(spoiled[0])) if spoiled else None
            if spoiled and current is None:
                return None
        if found is None:
            return None
        frames = self.watch.journal.frames(found.at)
        return self.described(Seen(found.function, found.args, found.kwargs, found.out, frames, None))

    def spoiled(self, watched: Any, position: int, seen: Seen) -> dict[str, Any]:
        """A parameter that is not finite before the step begins was made so by the step before it, if that used it."""
        parameter = watched.parameters()[position]
        if not self.replay.used_before(parameter):
            name = names(self.watch.modules, [parameter])[0]
            return {
                "why": f"{name} is not finite, and the step before this one did not use it: an earlier one spoiled it"
            }
        body = self.described(seen)
        body.update(
            phase="optimizer",
            op=type(watched.optimizer).__name__.lower(),
            module=names(self.watch.modules, [parameter])[0],
            earlier=-1 if watched.steps else 0,
            frames=watched.step_at or watched.made_at,
            **numbers(parameter),
        )
        return body

    def gradient_origin(self, loss: Any) -> dict[str, Any] | None:
        """The node of the graph that got finite gradients and sent on others; parameters are left alone."""
        found: list[dict[str, Any]] = []
        leaves: list[Any] = []
        seen, waiting = {loss.grad_fn}, [loss.grad_fn]
        while waiting:
            node = waiting.pop()
            variable = getattr(node, "variable", None)
            if variable is not None:
                leaves.append(variable)
            else:
                if isinstance(node, torch.autograd.function.BackwardCFunction):
                    self.look_inside(node)
                node.register_hook(self.gradient_watch(node, found))
            for following, _ in node.next_functions:
                if following is not None and following not in seen:
                    seen.add(following)
                    waiting.append(following)
                    # A node inside a library function belongs to the operation that was seen from outside.
                    if KEY in node.metadata and KEY not in following.metadata:
                        following.metadata[KEY] = node.metadata[KEY]
        # grad() instead of backward(): it accumulates nowhere and wakes no hook of a distributed wrapper.
        torch.autograd.grad(loss, leaves, allow_unused=True)
        return found[0] if found else None

    def gradient_watch(self, node: Any, found: list[dict[str, Any]]) -> Any:
        """A hook for one node that notes when finite gradients come in and others go out."""
        maker: Seen | None = node.metadata.get(KEY)
        count = len(self.seen)

        def passed(out: Any, came: Any) -> None:
            if found or not any(g is not None and not finite(g) for g in out):
                return
            if any(g is not None and not finite(g) for g in came):
                return
            if maker is None:
                found.append({**nothing(), "phase": "backward", "op": node_kind(node).lower()})
                return
            if self.culprit(maker) is not None:
                # The numbers were lost before, in a place that the loss itself did not depend on.
                found.append(self.backwards_from(next(everything_in(maker.out))))
                return
            inner = self.first_bad(count)
            body = self.described(maker)
            if inner is not None and inner.frames:
                # A gradient written by hand: the line inside it that went wrong.
                body["frames"] = inner.frames
            body.update(phase="backward", graph=True)
            found.append(body)

        return passed

    def look_inside(self, node: Any) -> None:
        """See the operations of a gradient that is written by hand; the engine runs it outside any mode."""
        mode = _Everything(self)

        def begin(_came: Any) -> None:
            self.running, self.called_at = [], []
            mode.__enter__()

        def end(_out: Any, _came: Any) -> None:
            mode.__exit__(None, None, None)

        node.register_prehook(begin)
        node.register_hook(end)

    def first_bad(self, start: int) -> Seen | None:
        """The first operation, of those seen since, that made non-finite numbers out of finite ones."""
        for seen in self.seen[start:]:
            spoiled = any(any(self.state(t)) for t in everything_in(seen.out) if t.is_floating_point())
            if spoiled and not any(any(self.state(t)) for t in seen.inputs()):
                return seen
        return None

    def described(self, seen: Seen) -> dict[str, Any]:
        """An operation as an origin: its line, its module, and the numbers that went in."""
        inputs = seen.inputs()
        body = {**nothing(), **(numbers(inputs[0]) if inputs else {})}
        others = inputs[1:] if seen.name.strip("_") in DIVISIONS else []
        body.update(
            op=seen.name.strip("_"),
            module=seen.module,
            frames=seen.frames,
            divisor_zeros=int((others[0] == 0).sum()) if others else 0,
        )
        body.update(seen.told or {})
        return body


def numbers(tensor: Any) -> dict[str, Any]:
    """The range of a tensor and how many zeros it holds."""
    value = tensor.detach().double()
    value = value[torch.isfinite(value)]
    return {
        "low": float(value.min()) if value.numel() else None,
        "high": float(value.max()) if value.numel() else None,
        "zeros": int((value == 0).sum()),
        "size": tensor.numel(),
    }


def state(tensor: Any) -> tuple[bool, bool]:
    """Whether a tensor holds a NaN, and whether it holds an infinity."""
    with torch._C.DisableTorchFunction(), torch.no_grad():
        value = tensor.detach()
        if not value.is_floating_point():
            return False, False
        return bool(torch.isnan(value).any()), bool(torch.isinf(value).any())


def finite(tensor: Any) -> bool:
    """Whether every number of a gradient is finite."""
    with torch._C.DisableTorchFunction(), torch.no_grad():
        value = tensor.detach()
        value = value.coalesce().values() if value.is_sparse else value
        return bool(torch.isfinite(value).all())


def everything_in(value: Any) -> Iterator[Any]:
    """Tensors of a result in a fixed order, also those held by objects with fields."""
    if isinstance(value, (torch.Tensor, Past)):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from everything_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from everything_in(item)
    elif hasattr(value, "__dict__") and not isinstance(value, torch.nn.Module):
        for item in vars(value).values():
            if isinstance(item, (torch.Tensor, list, tuple)):
                yield from everything_in(item)


def flat(value: Any) -> Iterator[Any]:
    """Every plain value of the arguments."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from flat(item)
    else:
        yield value


@contextlib.contextmanager
def amp(dtype: Any) -> Iterator[None]:
    """Autocast as it was when the entry was kept."""
    if dtype is None:
        yield
    else:
        with torch.autocast("cpu", dtype=dtype):
            yield


@contextlib.contextmanager
def custom_functions(rerun: Rerun) -> Iterator[None]:
    """Gradients written by hand are seen as one operation each, which the mode alone would miss."""
    original = torch.autograd.Function.__dict__["apply"]

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        before, count = rerun.state_of((args, kwargs)), len(rerun.seen)
        out = original.__func__(cls, *args, **kwargs)
        inner = rerun.first_bad(count)
        rerun.note(cls, args, kwargs, out, before)
        if inner is not None and inner.frames:
            # The line inside it that went wrong says more than the line that called it.
            rerun.seen[-1].frames = inner.frames
            rerun.seen[-1].name = inner.name
        return out

    torch.autograd.Function.apply = classmethod(apply)
    try:
        yield
    finally:
        torch.autograd.Function.apply = original


@contextlib.contextmanager
def module_stack(rerun: Rerun) -> Iterator[None]:
    """The modules that run, innermost last; the twin needs no hooks, it may replace the call itself."""
    original = torch.nn.Module.__call__

    def call(module: Any, *args: Any, **kwargs: Any) -> Any:
        rerun.running.append(module)
        try:
            return original(module, *args, **kwargs)
        finally:
            rerun.running.pop()

    torch.nn.Module.__call__ = call
    try:
        yield
    finally:
        torch.nn.Module.__call__ = original
