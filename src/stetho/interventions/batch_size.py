"""Train with batches of another size.

## What changes
Every DataLoader makes batches of N samples, also where its batch sampler was made by the program or by a framework.
Batches that the program cuts itself keep their shape: their first N samples are repeated over the whole batch, input
and target alike, which under a mean over the batch gives the gradient of these N.

## How it is known
The batch that the loader delivers has N rows; where samples are repeated, the model is given N different ones.

## What it tells
Small batches make noisier gradients. If the symptom follows, it is about that noise, about layers that look at the
whole batch, or about memory. N of 1 shows a loss or a norm that cannot do with one sample.

## When it says nothing
Batches cut by the program, by a batch sampler without a size or by the data set itself, where they are to become
larger, or where their samples are compared with each other: a repeated one would be its own counterexample, and with
fewer of them, from a loader, guessing is easier. Loaders that deliver nothing with the batch as its first axis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the size of the batches?"
applies = "programs with a DataLoader, and smaller sizes anywhere"
values = {"N": "samples in each batch; with several ranks, in each one's"}
example = "8"
alters = "spread"
moves = "a batch of another size draws other random numbers, as many as it needs"


def read(value: str) -> int:
    """The number of samples."""
    if int(value) < 1:
        raise ValueError("a batch has at least one sample")
    return int(value)


def apply(run: Run, value: str) -> None:
    """Change the loaders' settings; without a loader that can be told, repeat rows."""
    number = read(value)
    changed: set[int] = set()
    sizes: set[int] = {number}
    state = {"fed": False, "seen": False}

    @run.on_loader
    def settings(given: dict[str, Any]) -> None:
        sampler, data = given.get("batch_sampler"), given.get("dataset")
        if sampler is not None and isinstance(getattr(sampler, "batch_size", None), int):
            sampler.batch_size = number
        elif sampler is not None or given.get("batch_size", 1) is None:
            return
        else:
            given["batch_size"] = number
        changed.add(id(data))
        try:
            samples = len(data)  # type: ignore[arg-type]
        except (TypeError, NotImplementedError):
            return
        if samples < number:
            # The whole data set is one batch, which must not be dropped as an incomplete one.
            sizes.add(samples)
            given.pop("drop_last", None)

    @run.on_fetch
    def delivered(iterator: Any, fetch: Any) -> Any:
        batch = fetch()
        if not run.evaluating:
            state["fed"] = id(iterator._dataset) in changed
            state["seen"] = any(shape[0] in sizes for shape in shapes(batch) if shape)
            rows.on = not state["fed"]
        return batch

    def shapes(batch: Any) -> list[Any]:
        if isinstance(batch, run.torch.Tensor):
            return [batch.shape]
        if isinstance(batch, dict) or hasattr(batch, "values"):
            batch = list(batch.values())
        return [one for item in batch for one in shapes(item)] if isinstance(batch, (list, tuple)) else []

    @run.on_entering
    def look(module: Any, training: bool) -> None:
        if training and state["fed"]:
            run.applied()
            run.verified(int(state["seen"]))

    @run.on_compared
    def compared() -> None:
        if state["fed"]:
            run.contradicted("samples are compared with each other: what chance comes to moves with the batch")

    @run.on_target
    def named(target: Any, met: Any) -> None:
        if run.names_places(target, met):
            compared()

    def choose(call: int, prints: list[str]) -> list[tuple[int, int]] | None:
        if number >= len(prints):
            run.refused(f"the program cuts its batches itself, and they hold {len(prints)} samples")
            return None
        run.applied()
        return [(call, row % number) for row in range(len(prints))]

    def entered(prints: list[str]) -> None:
        if len(set(prints)) <= number:
            run.verified()

    rows = run.on_rows(choose, entered)
