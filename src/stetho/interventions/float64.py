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


def apply(run: Run, value: str) -> None:
    """Cast the model when it is first called; a mode promotes what it meets while it runs."""
    torch = run.torch
    single, double = torch.float32, torch.float64
    lower = (torch.float32, torch.float16, torch.bfloat16)
    modes: list[Any] = []

    def cast(tensors: Any) -> int:
        count = 0
        for tensor in tensors:
            if tensor.dtype in lower and tensor.device.type not in ("mps", "meta"):
                tensor.data = tensor.data.double()
                if tensor.grad is not None:
                    tensor.grad = tensor.grad.double()
                count += 1
        return count

    def state_of(optimizer: Any) -> None:
        """What is noted for a parameter has its shape; counts of steps have not."""
        for parameter, notes in optimizer.state.items():
            for key, note in notes.items():
                if torch.is_tensor(note) and note.dtype in lower and note.shape == parameter.shape and note.dim():
                    notes[key] = note.double()

    def prepare(module: Any) -> None:
        made = cast([*module.parameters(), *module.buffers()])
        held = [p for o in run.optimizers for group in o.param_groups for p in group["params"]]
        made += cast(held)
        if made:
            run.applied(made)

    def wrap(args: Any, kwargs: Any) -> None:
        """Its buffers for gradients are made in the type that the parameters have."""
        module = kwargs.get("module", args[1] if len(args) > 1 else None)
        if isinstance(module, torch.nn.Module):
            prepare(module)

    run.before(torch.nn.parallel.DistributedDataParallel, "__init__", wrap)

    def promoted(value: Any, kind: Any) -> Any:
        if torch.is_tensor(value):
            return value.to(kind) if value.dtype in (*lower, double) and value.dtype != kind else value
        if type(value) in (list, tuple):
            return type(value)(promoted(item, kind) for item in value)
        return value

    def stays(value: Any) -> Any:
        """A cast of a double to single precision is none."""
        return double if isinstance(value, torch.dtype) and value == single else value

    def recurrent(args: Any, kwargs: Any) -> Any:
        """Recurrent layers compare types themselves, before anything is computed."""
        if not any(p.dtype == double for p in args[0].parameters()):
            return None
        return (args[0], *(promoted(a, double) for a in args[1:])), {k: promoted(v, double) for k, v in kwargs.items()}

    for layer in (torch.nn.RNN, torch.nn.LSTM, torch.nn.GRU, torch.nn.RNNCell, torch.nn.LSTMCell, torch.nn.GRUCell):
        run.before(layer, "forward", recurrent)

    class Promotion(torch.overrides.TorchFunctionMode):  # type: ignore[misc, name-defined]
        """Runs each function of torch's in the higher of the precisions it is given."""

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            name = getattr(func, "__name__", "")
            first: Any = args[0] if args else None
            mine = torch.is_tensor(first) and first.dtype == double
            if name in LEFT:
                return func(*args, **kwargs)
            if mine and name == "float":
                return first
            if mine and name == "to":
                return func(*map(stays, args), **{key: stays(item) for key, item in kwargs.items()})
            if mine and name in LIKE and "dtype" not in kwargs:
                return func(*args, **kwargs, dtype=single).double()
            if mine and name in DRAWN:
                drawn = func(torch.empty_like(first, dtype=single), *args[1:], **kwargs)
                return first.copy_(drawn)
            there = run.tensors((args, kwargs))
            kinds = {t.dtype for t in there if t.is_floating_point()}
            if double in kinds and len(kinds) > 1 and "out" not in kwargs:
                # What writes to its first argument leaves that as it is, and the others follow.
                writes = name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))
                kind = first.dtype if writes and torch.is_tensor(first) and first.is_floating_point() else double
                kept = args[:1] if writes else ()
                args = (*kept, *(promoted(a, kind) for a in args[len(kept) :]))
                kwargs = {key: promoted(item, kind) for key, item in kwargs.items()}
            return func(*args, **kwargs)

    @run.again
    def promoting() -> Any:
        """The same mode for what backward computes again, where it does: in another thread, for some devices."""
        return Promotion if modes or run.computing_again else None

    def leave() -> None:
        while modes:
            modes.pop().__exit__(None, None, None)

    @run.on_entering
    def enter(module: Any, training: bool) -> None:
        leave()
        prepare(module)
        mode = Promotion()
        mode.__enter__()
        modes.append(mode)

    @run.on_left
    def over(module: Any, training: bool) -> None:
        leave()

    @run.on_loss
    def in_loss(call: Any) -> None:
        if torch.is_tensor(call.input) and call.input.dtype == double:
            call.args = [promoted(a, double) for a in call.args]
            call.kwargs = {key: promoted(item, double) for key, item in call.kwargs.items()}

    @run.on_step
    def follow(optimizer: Any) -> None:
        state_of(optimizer)

    @run.on_backward
    def look(losses: Any) -> None:
        if any(t.dtype == double for t in losses):
            run.verified()
        elif run.count:
            run.refused("the loss is cast to single precision")
