"""From a value that is not finite back along the tape to the operation, parameter or input that it came from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Iterator

import torch

from ..seen.coverage import names
from ..tensors import tensors_in
from .kept import Call, Operation
from .localisation import nothing
from .nonfinite import numbers, state
from .tape import DIVISIONS, Seen

if TYPE_CHECKING:
    from .keeper import Replay
    from .tape import Source, Tape

# Functions that make a NaN out of a row of nothing but minus infinity.
SOFTMAXES = (
    "softmax", "log_softmax", "softmin", "logsumexp", "multi_head_attention_forward", "scaled_dot_product_attention",
    "cross_entropy",
)  # fmt: skip


# How many tensors are looked at, on the way back from a zero to the division that made it.
HOPS = 16


class Origin:
    """Follows non-finite values back to where they came from."""

    def __init__(self, tape: Tape, replay: Replay) -> None:
        self.tape = tape
        self.stands_for: dict[int, Any] = {}  # from a copy that the replay works on to the tensor of the real step
        self.replay = replay
        self.watch = replay.watch

    def of(self, tensor: Any) -> dict[str, Any]:
        """The operation that made the first of the non-finite values which reached this tensor."""
        last = self.tape.maker(tensor)
        if last is None:
            return {"why": "the operation that made the loss was not seen"}
        unknown: dict[str, Any] | None = None
        visited: set[int] = set()
        waiting: list[tuple[Seen, Source | None]] = [(last, None)]
        while waiting:
            seen, leaf = waiting.pop()
            if leaf is not None:
                body = self.leaf(seen, leaf.tensor)
                if "why" not in body:
                    return body
                # A value that the step itself has spoiled: there may be another way back to where that happened.
                unknown = unknown or body
            elif id(seen) not in visited:
                visited.add(id(seen))
                culprits = self.culprits(seen) or self.swallowed(seen)
                if not culprits:
                    return self.described(seen)
                waiting += [(s.maker, None) if s.maker is not None else (seen, s) for s in reversed(culprits)]
        return unknown or self.described(last)

    def culprits(self, seen: Seen) -> list[Source]:
        """The inputs that an operation has its non-finite values from."""
        nan = [s for s in seen.sources if s.nan]
        masking = seen.name.strip("_") in SOFTMAXES
        return nan or [s for s in seen.sources if s.inf and not self.intended(s, masking)]

    def swallowed(self, seen: Seen) -> list[Source]:
        """Infinities that a division has turned into the zeros which an operation could not take."""
        waiting = [s for s in seen.sources if zeros(s)]
        for carrier in waiting:
            maker = carrier.maker
            if maker is None:
                continue
            if maker.name.strip("_") in DIVISIONS:
                found = [s for s in maker.sources if s.inf and not self.intended(s, False)]
                if found:
                    return found
            if len(waiting) < HOPS:
                waiting += [s for s in maker.sources if zeros(s) and not any(s is w for w in waiting)]
        return []

    def intended(self, source: Source, masking: bool) -> bool:
        """Whether infinities were put there on purpose: a value filled with one, or a mask given to a softmax."""
        waiting = [source]
        for carrier in waiting:
            maker = carrier.maker
            if maker is None:
                if not self.mask(carrier.tensor, masking):
                    return False
            elif not fills(maker):
                before = [s for s in maker.sources if s.inf]
                if not before:
                    return False
                waiting += [s for s in before if not any(s is w for w in waiting)]
        return True

    def mask(self, tensor: Any, masking: bool) -> bool:
        """Whether a tensor that no operation made is there to mask: zeros and infinities, or nothing above them."""
        if tensor.requires_grad:
            return False
        below = bool((tensor != math.inf).all())
        others = tensor[torch.isfinite(tensor)]
        # A single infinity is what a search for the smallest begins with; nothing but many of them is no mask.
        return (masking and below) or tensor.numel() == 1 or (others.numel() > 0 and bool((others == 0).all()))

    def leaf(self, seen: Seen, tensor: Any) -> dict[str, Any]:
        """A non-finite value that came from outside: a parameter that a step spoiled, or the data."""
        tensor = self.stands_for.get(id(tensor), tensor)
        for watched in self.watch.optimizers.values():
            for parameter in watched.parameters():
                same = parameter.data_ptr() == tensor.data_ptr() and parameter.shape == tensor.shape
                if parameter is tensor or same:
                    return self.spoiled(watched, parameter, seen)
        calls = [e for e in self.replay.kept if isinstance(e, Call) and any(t is tensor for t, _ in e.versions)]
        operations = [e for e in self.replay.kept if isinstance(e, Operation)]
        if not calls and not any(t is tensor for e in operations for t in tensors_in((e.args, e.kwargs))):
            return {"why": "a value that was there before the step, and that the step changes, is not finite"}
        body = self.prepared(tensor, operations)
        if body is not None:
            return body
        if any(e.out is tensor and e.target() is not None for e in operations):
            return {"why": "a value that was there before the step, and that the step changes, is not finite"}
        rows = enumerate(tensor) if tensor.dim() else ()
        body = self.described(seen)
        body.update(
            phase="forward" if tensor.requires_grad else "data",
            op="input",
            sample=next((i for i, part in rows if not bool(torch.isfinite(part).all())), None),
            **numbers(tensor),
        )
        if calls:
            body["frames"] = calls[-1].at
        return body

    def prepared(self, tensor: Any, operations: list[Operation]) -> dict[str, Any] | None:
        """The operation outside the models that made a spoiled input out of sound data, if one did."""
        made = {id(e.out): e for e in operations if e.target() is None}
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

    def spoiled(self, watched: Any, parameter: Any, seen: Seen) -> dict[str, Any]:
        """A parameter that is not finite before the step begins was made so by the step before it, if that used it."""
        name = names(self.watch.modules, [parameter])[0]
        if not self.replay.used_before(parameter):
            return {
                "why": f"{name} is not finite, and the step before this one did not use it: an earlier one spoiled it"
            }
        body = self.described(seen)
        body.update(
            phase="optimizer",
            op=type(watched.optimizer).__name__.lower(),
            module=name,
            earlier=-1 if watched.steps else 0,
            frames=watched.step_at or watched.made_at,
            **numbers(parameter),
        )
        return body

    def described(self, seen: Seen) -> dict[str, Any]:
        """An operation as an origin: its line, its module, and the numbers that went in."""
        inputs = seen.inputs()
        body = {**nothing(), **(numbers(inputs[0]) if inputs else {})}
        others = inputs[1:] if seen.name.strip("_") in DIVISIONS else []
        body.update(
            op=seen.name.strip("_"),
            module=seen.module,
            frames=seen.frames,
            divisor_zeros=int((others[0] == 0).sum()) if others else int(by_plain_zero(seen)),
        )
        body.update(seen.told or {})
        return body


def zeros(source: Source) -> bool:
    """Whether some of a tensor's numbers are exactly zero."""
    return source.tensor.is_floating_point() and bool((source.tensor == 0).any())


def by_plain_zero(seen: Seen) -> bool:
    """Whether an operation divides by a number of Python's that is zero."""
    given = seen.args[1] if len(seen.args) > 1 else seen.kwargs.get("other")
    return seen.name.strip("_") in DIVISIONS and isinstance(given, (int, float)) and given == 0


def fills(seen: Seen) -> bool:
    """Whether an operation was told to put infinities into what it makes."""
    return any(isinstance(v, float) and math.isinf(v) for v in flat((seen.args, seen.kwargs)))


def flat(value: Any) -> Iterator[Any]:
    """Every plain value of the arguments."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from flat(item)
    else:
        yield value
