"""Train on the first batch for ever.

## What changes
Every call of a model in a step gets what the same call got in the first step, and every target that meets its output
is the one of that call; what another model has made is left as it is. A model that is called without gradients and
whose output meets what trains, as a teacher's, is given its first input, too. Loaders that feed the training hand out
their first batch again and again. The data pipeline goes on as before, unheard, so the random numbers stay as they
are.

## How it is known
What enters the model has one fingerprint from the first step on, and so has what enters the loss.

## What it tells
A model, loss and optimizer that work drive the loss on one batch far down. If they do, the fault is in
the data or in what it takes to generalise; if they do not, it is in the training itself.

## When it says nothing
Models that take their data from somewhere else than their arguments. Teachers that join later, and data of other
batches that is mixed into what they make, as a reward into the value of a target network.
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
# Calls without gradients whose input is kept until it is known what they are for, and steps in which it gets known.
FEW = 16
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
        self.teachers = Teachers(run, self, prints)
        self.first: dict[Key, First] = {}
        self.now: Key | None = None
        """The call under way, or the last one."""
        self.stepped = -1
        self.fresh = False
        """Whether a call of this step is the first of its kind."""
        self.count: dict[int, int] = {}

    def same_input(self, module: Any, args: Any, kwargs: Any) -> Any:
        """A model is called for training."""
        if self.run.batch.alone:
            return None
        self.loaders.fed()
        key = self.now = self.counted(module)
        taught = self.run.batch.taught(args, kwargs)
        changed: Any = (args, kwargs)
        if key not in self.first:
            self.first[key] = First(self.own(args, kwargs), self.run.batch.size)
            self.fresh = True
        else:
            changed = self.again(self.first[key], args, kwargs, taught)
        if changed is None:
            self.run.refused("the model is called in more than one way")
            return None
        for path, tensor in self.run.batch.copied(*changed).items():
            if path in self.first[key].tensors and path not in taught:
                self.prints.look("the model", (*key, path), tensor)
        for sources in taught.values():
            self.teachers.meet(sources)
        return changed

    def counted(self, module: Any) -> Key:
        """What stands for this call in every step."""
        number = self.count[id(module)] = self.count.get(id(module), -1) + 1
        return id(module), self.turn, number

    @property
    def turn(self) -> int:
        """Which optimizer has stepped before, where there are several."""
        return self.stepped if len(self.run.optimizers) > 1 else 0

    def own(self, args: Any, kwargs: Any) -> dict[Any, Any]:
        """Copies of the tensors of a call that no model has made."""
        kept = self.run.batch.copied(args, kwargs)
        return {path: kept[path] for path in kept if not self.run.batch.from_a_model(path, args, kwargs)}

    def again(self, first: First, args: Any, kwargs: Any, taught: Any) -> Any:
        """The call with what came first in it, as many rows as it has now; None where it has other places."""
        batch = self.run.batch
        tensors = {
            path: batch.rows(t, batch.size) if t.dim() and t.shape[0] == first.size else t
            for path, t in first.tensors.items()
            if path not in taught
        }
        changed = batch.replaced(args, kwargs, tensors)
        if changed is not None and tensors:
            self.run.applied()
        return changed

    def over(self, optimizer: Any) -> None:
        """After a step, calls are counted anew."""
        self.count.clear()
        self.fresh = False
        self.stepped = self.run.optimizers.index(optimizer)


class Teachers:
    """Gives models that are called without gradients their first input, where the training uses what they make.

    Evaluation is called without gradients, too: it is told by that nothing of it meets what trains.
    """

    def __init__(self, run: Run, calls: Calls, prints: Prints) -> None:
        self.run, self.calls, self.prints = run, calls, prints
        self.first: dict[Any, dict[Any, Any]] = {}
        self.used: set[Any] = set()
        self.keys: dict[int, Any] = {}
        """The calls of this step by their number."""
        self.count: dict[Any, int] = {}
        self.data: dict[Any, list[Any]] = {}
        """What has met the output of a call in this step."""
        self.steps = 0

    def enter(self, module: Any, args: Any, kwargs: Any) -> Any:
        """A model is called without gradients."""
        place = (id(module), self.calls.turn, self.run.called_from())
        number = self.count[place] = self.count.get(place, -1) + 1
        key = self.keys[self.run.taught.calls + 1] = (*place, number)
        if key in self.used:
            return self.again(key, args, kwargs) if key in self.first else None
        if self.steps < FEW and len(self.first) < FEW:
            self.first[key] = self.calls.own(args, kwargs)
        return None

    def again(self, key: Any, args: Any, kwargs: Any) -> Any:
        """The call with what came first in it."""
        now, new = self.run.batch.copied(args, kwargs), {}
        taught = self.run.batch.taught(args, kwargs)
        for path, tensor in self.first[key].items():
            if path in taught:
                self.meet(taught[path])
                continue
            if path not in now or now[path].shape[1:] != tensor.shape[1:]:
                self.run.contradicted("a model without gradients is called in more than one way")
                return None
            new[path] = self.run.batch.rows(tensor, now[path].shape[0]) if tensor.dim() else tensor
            self.prints.look("a model without gradients", (key, path), new[path])
        self.run.applied(int(bool(new)))
        return self.run.batch.replaced(args, kwargs, new)

    def meet(self, sources: Any) -> None:
        """What these calls have made meets what trains."""
        keys = {self.keys.get(number) for number in sources}
        # A call for training that made nothing with gradients has its first input already.
        for key in keys - self.used - {None}:
            if not self.calls.fresh or key not in self.first:
                self.run.contradicted("what meets the output may be made by another model, from other batches")
            self.used.add(key)

    def mixed(self, tensor: Any, sources: Any) -> None:
        """Data meets what these calls have made: it must be that of one batch."""
        for number in sources:
            key = self.keys.get(number)
            if key in self.used or self.steps < FEW:
                self.data.setdefault(key, []).append(tensor)

    def over(self, optimizer: Any) -> None:
        """After a step: what no training has used was evaluation."""
        for key in self.used.intersection(self.data):
            for number, tensor in enumerate(self.data[key]):
                self.prints.look("what a model without gradients makes", (key, number), tensor)
        self.data.clear()
        self.first = {key: first for key, first in self.first.items() if key in self.used}
        self.keys.clear()
        self.count.clear()
        self.steps += 1


class Targets:
    """Hands out, for each meeting with the output of a call, the target that came first."""

    def __init__(self, run: Run, calls: Calls, prints: Prints) -> None:
        self.run, self.calls, self.prints = run, calls, prints
        self.first: dict[Any, Any] = {}

    def same_target(self, target: Any, met: Any) -> Any:
        """A target meets the output."""
        if self.run.batch.alone:
            return target
        key = (self.calls.now, self.run.meetings.number)
        if key not in self.first:
            self.first[key] = target.detach().clone()
        sources = self.run.taught.recent(target)
        if sources:
            self.calls.teachers.meet(sources)
            return target
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
    targets, teachers = Targets(run, calls, prints), calls.teachers
    run.on_batch(loaders.same_batch)
    run.on_input(calls.same_input)
    run.on_idle_input(teachers.enter)
    run.on_mixed(teachers.mixed)
    run.on_step_over(teachers.over)
    run.on_step_over(calls.over)
    run.on_target(targets.same_target)
    run.on_beside(targets.same_beside)
