"""Train on the first batch for ever.

## What changes
Every call of a model in a step gets what the same call got in the first step, and every target that meets its output
is the one of that call; what another model has made is left as it is. Loaders that feed the training hand out their
first batch again and again. The data pipeline goes on as before, unheard, so the random numbers stay as they are.

## How it is known
What enters the model has one fingerprint from the first step on, and so has what enters the loss.

## What it tells
A model, loss and optimizer that work drive the loss on one batch far down. If they do, the fault is in
the data or in what it takes to generalise; if they do not, it is in the training itself.

## When it says nothing
Models that take their data from somewhere else than their arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "smoke"
question = "Can the model learn one batch by heart?"
applies = "models called with tensors, or fed by a DataLoader"
values = {"": "the first one of the training"}
alters = "level"
backgrounds = {"": {"symptom-gone": 0.40, "better": 0.20, "same": 0.30, "worse": 0.07, "new-failure": 0.03}}
Key = tuple[int, int, int]
"""A call of each step: its model, the optimizer that has stepped before it, and its number."""


class Prints:
    """Sees whether each place gets one value only."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.known: dict[tuple[Any, ...], tuple[Any, ...]] = {}

    def look(self, what: str, key: Any, tensor: Any) -> None:
        """Compare with what came first; a first look can neither confirm nor deny."""
        flat = tensor.detach().reshape(-1)
        found = (*tensor.shape, float(flat.double().sum()), float(flat[-1]) if flat.numel() else 0.0)
        place = (what, key, *tensor.shape)
        if place not in self.known:
            self.known[place] = found
        elif self.known[place] == found:
            self.run.verified()
        else:
            self.run.contradicted(f"more than one batch reached {what}")


class Loaders:
    """Lets each loader that has fed the training deliver its first batch; others, as for validation, go on."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.first: dict[int, list[Any] | None] = {}
        self.last: int | None = None
        self.feeding: set[int | None] = set()

    def same_batch(self, stream: int, batch: Any) -> Any:
        """A loader delivers."""
        self.last = stream
        if stream not in self.first:
            self.first[stream] = self.run.leaves(batch)
        first = self.first[stream]
        if stream not in self.feeding or first is None:
            return batch
        return self.run.rebuilt(batch, self.run.copies(first))

    def fed(self) -> None:
        """The training uses what the last of them has delivered."""
        self.feeding.add(self.last)


class First(NamedTuple):
    """What a call got in the first step, and how many samples these were."""

    tensors: dict[Any, Any]
    size: int


class Calls:
    """Gives each call of a step what the same call got first; what a model has made stays as it is."""

    def __init__(self, run: Run, loaders: Loaders, prints: Prints) -> None:
        self.run, self.loaders, self.prints = run, loaders, prints
        self.first: dict[Key, First] = {}
        self.now: Key | None = None
        """The call under way, or the last one."""
        self.stepped = -1
        self.count: dict[int, int] = {}

    def same_input(self, module: Any, args: Any, kwargs: Any) -> Any:
        """A model is called for training."""
        self.loaders.fed()
        key = self.now = self.counted(module)
        changed: Any = (args, kwargs)
        if key not in self.first:
            self.first[key] = First(self.own(args, kwargs), self.run.batch.size)
        else:
            changed = self.again(self.first[key], args, kwargs)
        if changed is None:
            self.run.refused("the model is called in more than one way")
            return None
        for path, tensor in self.run.batch.copied(*changed).items():
            if path in self.first[key].tensors:
                self.prints.look("the model", (*key, path), tensor)
        return changed

    def counted(self, module: Any) -> Key:
        """What stands for this call in every step."""
        number = self.count[id(module)] = self.count.get(id(module), -1) + 1
        return id(module), self.stepped if len(self.run.optimizers) > 1 else 0, number

    def own(self, args: Any, kwargs: Any) -> dict[Any, Any]:
        """Copies of the tensors of a call that no model has made."""
        kept = self.run.batch.copied(args, kwargs)
        return {path: kept[path] for path in kept if not self.run.batch.from_a_model(path, args, kwargs)}

    def again(self, first: First, args: Any, kwargs: Any) -> Any:
        """The call with what came first in it, as many rows as it has now; None where it has other places."""
        batch = self.run.batch
        tensors = {
            path: batch.rows(t, batch.size) if t.dim() and t.shape[0] == first.size else t
            for path, t in first.tensors.items()
        }
        changed = batch.replaced(args, kwargs, tensors)
        if changed is not None and tensors:
            self.run.applied()
        return changed

    def over(self, optimizer: Any) -> None:
        """After a step, calls are counted anew."""
        self.count.clear()
        self.stepped = self.run.optimizers.index(optimizer)


class Targets:
    """Hands out, for each meeting with the output of a call, the target that came first."""

    def __init__(self, run: Run, calls: Calls, prints: Prints) -> None:
        self.run, self.calls, self.prints = run, calls, prints
        self.first: dict[Any, Any] = {}

    def same_target(self, target: Any, met: Any) -> Any:
        """A target meets the output."""
        key = (self.calls.now, self.run.meetings.number)
        if key not in self.first:
            self.first[key] = target.detach().clone()
        first = self.first[key]
        if first.dim() != target.dim() or first.dtype != target.dtype:
            self.run.contradicted("targets come in another order than in the first step")
            return target
        if not target.dim():
            return first
        same = self.run.batch.rows(first, target.shape[0])
        self.prints.look("the loss", key, same)
        return same

    def same_beside(self, tensor: Any, met: Any, what: str) -> Any:
        """Weights, masks and inputs that meet the output belong to the same batch."""
        return self.same_target(tensor, met)


def apply(run: Run, value: str) -> None:
    """Keep the first of everything that leads into a step, and hand it out again."""
    prints, loaders = Prints(run), Loaders(run)
    calls = Calls(run, loaders, prints)
    targets = Targets(run, calls, prints)
    run.on_batch(loaders.same_batch)
    run.on_input(calls.same_input)
    run.on_step_over(calls.over)
    run.on_target(targets.same_target)
    run.on_beside(targets.same_beside)
