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

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "smoke"
question = "Can the model learn one batch by heart?"
applies = "models called with tensors, or fed by a DataLoader"
values = {"": "the first one of the training"}
backgrounds = {"": {"symptom-gone": 0.40, "better": 0.20, "same": 0.30, "worse": 0.07, "new-failure": 0.03}}


def apply(run: Run, value: str) -> None:
    """Keep the first of everything that leads into a step, and hand it out again."""
    inputs: dict[Any, dict[Any, Any]] = {}
    targets: dict[Any, Any] = {}
    batches: dict[int, list[Any] | None] = {}
    prints: dict[Any, tuple[Any, ...]] = {}
    now: dict[str, Any] = {"call": None, "stream": None, "stepped": -1}
    feeding: set[Any] = set()
    sizes: dict[Any, int] = {}
    calls: dict[int, int] = {}

    def look(what: str, key: Any, tensor: Any) -> None:
        """See whether this place gets one value only; a first look can neither confirm nor deny."""
        flat = tensor.detach().reshape(-1)
        known = (*tensor.shape, float(flat.double().sum()), float(flat[-1]) if flat.numel() else 0.0)
        place = (what, key, *tensor.shape)
        if place not in prints:
            prints[place] = known
        elif prints[place] == known:
            run.verified()
        else:
            run.contradicted(f"more than one batch reached {what}")

    @run.on_batch
    def same_batch(stream: int, batch: Any) -> Any:
        """A loader that has fed the training delivers its first batch; others, as for validation, go on."""
        now["stream"] = stream
        if stream not in batches:
            batches[stream] = run.leaves(batch)
        if stream not in feeding or batches[stream] is None:
            return batch
        return run.rebuilt(batch, run.copies(batches[stream] or []))

    @run.on_input
    def same_input(module: Any, args: Any, kwargs: Any) -> Any:
        """Each call of a step gets what the same call got first; what a model has made stays as it is."""
        feeding.add(now["stream"])
        number = calls[id(module)] = calls.get(id(module), -1) + 1
        key = now["call"] = (id(module), now["stepped"] if len(run.optimizers) > 1 else 0, number)
        if key not in inputs:
            kept = run.batch.copied(args, kwargs)
            inputs[key] = {path: kept[path] for path in kept if not run.batch.from_a_model(path, args, kwargs)}
            sizes[key] = run.batch.size
            changed = (args, kwargs)
        else:
            rows = run.batch.size
            first = {
                path: run.batch.rows(t, rows) if t.dim() and t.shape[0] == sizes[key] else t
                for path, t in inputs[key].items()
            }
            again = run.batch.replaced(args, kwargs, first)
            if again is None:
                run.refused("the model is called in more than one way")
                return None
            changed = again
            if first:
                run.applied()
        for path, tensor in run.batch.copied(*changed).items():
            if path in inputs[key]:
                look("the model", (*key, path), tensor)
        return changed

    @run.on_step_over
    def stepped(optimizer: Any) -> None:
        calls.clear()
        now["stepped"] = run.optimizers.index(optimizer)

    @run.on_target
    def same_target(target: Any, met: Any) -> Any:
        key = (now["call"], run.meetings.number)
        if key not in targets:
            targets[key] = target.detach().clone()
        first = targets[key]
        if first.dim() != target.dim() or first.dtype != target.dtype:
            run.contradicted("targets come in another order than in the first step")
            return target
        if not target.dim():
            return first
        same = run.batch.rows(first, target.shape[0])
        look("the loss", key, same)
        return same

    @run.on_beside
    def same_beside(tensor: Any, met: Any, what: str) -> Any:
        """Weights, masks and inputs that meet the output belong to the same batch."""
        return same_target(tensor, met)
