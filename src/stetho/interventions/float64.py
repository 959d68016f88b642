"""Compute in double precision.

## What changes
Parameters and buffers of a model are cast before it is first called, and what an optimizer has noted for them with
them. While the model runs, single precision that meets double precision is promoted to it, so that inputs and constants
of the program's follow; so it is in losses of torch's. Torch's default type stays, and random numbers are drawn in
single precision, so that they stay the same.

## How it is known
The loss that backward is called on is in double precision, and so are the gradients.

## What it tells
If the symptom goes away, rounding, overflow or cancellation made it. If it stays, the numbers are right and the
computation is not.

## When it says nothing
Models that are no modules of torch's; losses that the program casts back to single precision; devices without doubles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom come from the precision of the numbers?"
applies = "models of torch's on devices with double precision"
values = {"": "model, loss and gradients"}
cost = 2.0
# Functions that draw as many random numbers as a tensor has elements, which for doubles would be others.
LIKE = ("rand_like", "randn_like")
DRAWN = ("normal_", "uniform_", "exponential_", "bernoulli_", "cauchy_", "log_normal_", "geometric_")
# What reads an attribute of a tensor, or asks for its type.
LEFT = ("__get__", "__set__", "__repr__", "size", "dim", "numel", "stride", "is_floating_point", "backward")


class Casting:
    """Casts what models and optimizers hold."""

    def __init__(self, run: Run) -> None:
        self.run, self.torch = run, run.torch
        self.lower = lower(run.torch)

    def prepare(self, module: Any) -> None:
        """Cast a model, and what optimizers hold."""
        made = self.cast([*module.parameters(), *module.buffers()])
        held = [p for o in self.run.optimizers for group in o.param_groups for p in group["params"]]
        made += self.cast(held)
        if made:
            self.run.applied(made)

    def cast(self, tensors: list[Any]) -> int:
        """Cast those that are in lower precision; how many there were."""
        count = 0
        for tensor in tensors:
            if tensor.dtype in self.lower and tensor.device.type not in ("mps", "meta"):
                tensor.data = tensor.data.double()
                if tensor.grad is not None:
                    tensor.grad = tensor.grad.double()
                count += 1
        return count

    def wrapped(self, args: Any, kwargs: Any) -> None:
        """Before a model is given to a wrapper, whose buffers for gradients have the type of the parameters."""
        module = kwargs.get("module", args[1] if len(args) > 1 else None)
        if isinstance(module, self.torch.nn.Module):
            self.prepare(module)

    def follow(self, optimizer: Any) -> None:
        """What is noted for a parameter has its shape; counts of steps have not."""
        for parameter, notes in optimizer.state.items():
            for key, note in notes.items():
                alike = self.torch.is_tensor(note) and note.shape == parameter.shape and note.dim()
                if alike and note.dtype in self.lower:
                    notes[key] = note.double()


class Promotion:
    """Runs each function of torch's in the higher of the precisions it is given."""

    def __init__(self, run: Run) -> None:
        self.run, self.torch = run, run.torch
        self.single, self.double = run.torch.float32, run.torch.float64
        self.floats = (*lower(run.torch), self.double)

    def called(self, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """What a function gives under promotion."""
        name = getattr(function, "__name__", "")
        first: Any = args[0] if args else None
        if name in LEFT:
            return function(*args, **kwargs)
        if self.is_double(first):
            if name == "float":
                return first
            if name == "to":
                return function(*map(self.stays, args), **{key: self.stays(item) for key, item in kwargs.items()})
            if name in LIKE and "dtype" not in kwargs:
                return function(*args, **kwargs, dtype=self.single).double()
            if name in DRAWN:
                drawn = function(self.torch.empty_like(first, dtype=self.single), *args[1:], **kwargs)
                return first.copy_(drawn)
        args, kwargs = self.met(name, args, kwargs)
        return function(*args, **kwargs)

    def met(self, name: str, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """The arguments of a function, promoted where double precision meets another."""
        kinds = {t.dtype for t in self.run.tensors((args, kwargs)) if t.is_floating_point()}
        if self.double not in kinds or len(kinds) == 1 or "out" in kwargs:
            return args, kwargs
        first: Any = args[0] if args else None
        # What writes to its first argument leaves that as it is, and the others follow.
        writes = name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))
        kind = first.dtype if writes and self.torch.is_tensor(first) and first.is_floating_point() else self.double
        kept = args[:1] if writes else ()
        return (*kept, *self.promoted(args[len(kept) :], kind)), self.named(kwargs, kind)

    def promoted(self, value: Any, kind: Any) -> Any:
        """The same with every tensor of floats in one type."""
        if self.torch.is_tensor(value):
            return value.to(kind) if value.dtype in self.floats and value.dtype != kind else value
        if type(value) in (list, tuple):
            return type(value)(self.promoted(item, kind) for item in value)
        return value

    def named(self, kwargs: dict[str, Any], kind: Any) -> dict[str, Any]:
        return {key: self.promoted(item, kind) for key, item in kwargs.items()}

    def is_double(self, value: Any) -> bool:
        return bool(self.torch.is_tensor(value) and value.dtype == self.double)

    def stays(self, value: Any) -> Any:
        """A cast of a double to single precision is none."""
        return self.double if isinstance(value, self.torch.dtype) and value == self.single else value

    def recurrent(self, args: Any, kwargs: dict[str, Any]) -> Any:
        """Recurrent layers compare types themselves, before anything is computed."""
        if not any(p.dtype == self.double for p in args[0].parameters()):
            return None
        return (args[0], *self.promoted(args[1:], self.double)), self.named(kwargs, self.double)

    def in_loss(self, call: Any) -> None:
        """A loss of torch's is called after the model: what it is given follows its input."""
        if self.is_double(call.input):
            call.args = self.promoted(call.args, self.double)
            call.kwargs = self.named(call.kwargs, self.double)


class Running:
    """Puts a mode that promotes around each call of a model."""

    def __init__(self, run: Run, casting: Casting, promotion: Promotion) -> None:
        self.run, self.casting = run, casting
        self.mode = mode_of(run.torch, promotion)
        self.entered: list[Any] = []

    def enter(self, module: Any, training: bool) -> None:
        self.leave()
        self.casting.prepare(module)
        mode = self.mode()
        mode.__enter__()
        self.entered.append(mode)

    def over(self, module: Any, training: bool) -> None:
        self.leave()

    def leave(self) -> None:
        while self.entered:
            self.entered.pop().__exit__(None, None, None)

    def again(self) -> Any:
        """The same mode for what backward computes again, where it does: in another thread, for some devices."""
        return self.mode if self.entered or self.run.computing_again else None

    def look(self, losses: Any) -> None:
        """See in what precision backward begins."""
        if any(t.dtype == self.run.torch.float64 for t in losses):
            self.run.verified()
        elif self.run.count:
            self.run.refused("the loss is cast to single precision")


def apply(run: Run, value: str) -> None:
    """Cast the model when it is first called; a mode promotes what it meets while it runs."""
    nn = run.torch.nn
    casting, promotion = Casting(run), Promotion(run)
    running = Running(run, casting, promotion)
    run.before(nn.parallel.DistributedDataParallel, "__init__", casting.wrapped)
    for layer in (nn.RNN, nn.LSTM, nn.GRU, nn.RNNCell, nn.LSTMCell, nn.GRUCell):
        run.before(layer, "forward", promotion.recurrent)
    run.again(running.again)
    run.on_entering(running.enter)
    run.on_left(running.over)
    run.on_loss(promotion.in_loss)
    run.on_step(casting.follow)
    run.on_backward(running.look)


def lower(torch: Any) -> tuple[Any, ...]:
    """The types of less than double precision."""
    return torch.float32, torch.float16, torch.bfloat16


def mode_of(torch: Any, promotion: Promotion) -> Any:
    """The class of modes that promote; made here, as torch's own is there only in the program."""

    class Mode(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return promotion.called(func, args, kwargs or {})

    return Mode
