"""Train with batches of another size.

## What changes
Every DataLoader makes batches of N samples, also where its batch sampler was made by the program or by a framework.
Batches that the program cuts itself keep their shape: their first N samples are repeated over the whole batch, input
and target alike, which under a mean over the batch gives the gradient of these N.

## How it is known
The batch that enters the model has N samples, or N different ones where they are repeated.

## What it tells
Small batches make noisier gradients. If the symptom follows, it is about that noise, about layers that look at the
whole batch, or about memory. N of 1 shows a loss or a norm that cannot do with one sample.

## When it says nothing
Batches cut by the program that are to become larger, batch samplers without a size, and data sets that make whole
batches themselves.
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
moves = "a batch of another size draws other random numbers, as many as it needs"


def read(value: str) -> int:
    """The number of samples."""
    if int(value) < 1:
        raise ValueError("a batch has at least one sample")
    return int(value)


def apply(run: Run, value: str) -> None:
    """Change the loaders' settings; without a loader, repeat rows."""
    number = read(value)
    state = {"fed": False, "rows": 0}
    sizes: set[int] = {number}

    @run.on_loader
    def settings(given: dict[str, Any]) -> None:
        sampler = given.get("batch_sampler")
        if sampler is not None:
            if isinstance(getattr(sampler, "batch_size", None), int):
                sampler.batch_size = number
            else:
                run.refused("a batch sampler of the program's own decides how large its batches are")
            return
        if given.get("batch_size", 1) is None:
            run.refused("its data set makes whole batches itself")
            return
        given["batch_size"] = number
        try:
            samples = len(given["dataset"])
        except (TypeError, NotImplementedError):
            return
        if samples < number:
            # The whole data set is one batch, which must not be dropped as an incomplete one.
            sizes.add(samples)
            given["drop_last"] = False

    @run.on_batch
    def delivered(stream: int, batch: Any) -> None:
        if run.evaluating:
            return
        state["fed"], rows.on = True, False
        tensors = [leaf for leaf in run.leaves(batch) or () if isinstance(leaf, run.torch.Tensor) and leaf.dim()]
        state["rows"] = int(tensors[0].shape[0]) if tensors else 0

    @run.on_entering
    def look(module: Any, training: bool) -> None:
        if not training or not state["fed"]:
            return
        run.applied()
        if state["rows"] in sizes:
            run.verified()

    @run.on_left
    def size_at_the_model(module: Any, training: bool) -> None:
        if training and state["fed"] and state["rows"] in sizes and run.batch.size % state["rows"]:
            run.contradicted(f"the model is called with {run.batch.size} samples at once")

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
