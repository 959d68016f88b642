"""Train in training mode and evaluate in evaluation mode, whatever mode the program leaves its model in.

## What changes
While a model in evaluation mode is called for training, all its modules are in training mode; while one in training
mode is called without gradients, all are in evaluation mode. Afterwards each module is put back into the mode it had.

## How it is known
At the end of the call every module is still in the mode that was lent. What counts as training is seen in the graph:
backward comes to what the model has made. The first such call of a line only shows this, and is left as it is.

## What it tells
If learning gets better, the model was trained in the wrong mode; if only evaluation does, it was evaluated in it.

## When it says nothing
Modes that are right already. Models whose output without gradients is given to a model or a loss that trains, as that
of a generator, a teacher or a momentum encoder: the run does not count. What the program computes from it first is not
followed. Models that are called without gradients in training mode for another reason, as those that only renew the
statistics of their layers.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when the model is in training mode for training, and only then?"
applies = "models of torch's"
values = {"": "by what the call is for"}
moves = "layers draw random numbers in training mode only"
# Nodes of a graph that are gone through, from the loss down, to see whether a call has led to it.
NODES = 20_000
# Calls that are kept until the next backward.
FEW = 4


def apply(run: Run, value: str) -> None:
    """Lend the mode for the length of each call, once it is known what calls from these lines are for."""
    torch = run.torch
    lent: list[tuple[Any, bool]] = []
    # What is lent to a part while it is computed again, for checkpoints within it.
    repeated: list[tuple[Any, bool]] = []
    proven: set[tuple[int, Any]] = set()
    waiting: list[tuple[tuple[int, Any], list[Any]]] = []
    # What was made without gradients in a mode that was lent; held, so that its memory is not given to others.
    idle: list[Any] = []
    now: dict[str, Any] = {"place": None, "wanted": False, "unclear": False}

    @run.on_entering
    def switch(module: Any, training: bool) -> None:
        if run.computing_again:
            return
        put_back()
        place = (id(module), run.called_from())
        wanted = torch.is_grad_enabled()
        # In evaluation mode with gradients it may be either, until a backward has come from a call at these lines.
        unclear = wanted and not module.training and place not in proven
        now.update(place=place, wanted=wanted, unclear=unclear)
        wrong = not module.training if wanted else any(m.training for m in module.modules())
        if unclear or not wrong:
            run.refused("the model is in the right mode already")
            return
        for one in module.modules():
            lent.append((one, one.training))
            one.training = wanted
        run.applied()

    @run.again
    def lent_now() -> Any:
        """The modes of this call, for what backward computes again."""
        modes = [(one, one.training) for one, _ in lent or repeated]
        return (lambda: as_lent(modes)) if modes else None

    @contextlib.contextmanager
    def as_lent(modes: list[tuple[Any, bool]]) -> Iterator[None]:
        own, before = [(one, one.training) for one, _ in modes], list(repeated)
        repeated[:] = own
        for one, mode in modes:
            one.training = mode
        try:
            yield
        finally:
            repeated[:] = before
            for one, mode in own:
                one.training = mode

    def put_back() -> None:
        for one, mode in lent:
            one.training = mode
        lent.clear()

    @run.on_output
    def look_and_put_back(module: Any, training: bool, output: Any) -> None:
        if run.computing_again:
            return
        if lent and not now["wanted"]:
            idle.extend(run.tensors(output))
            del idle[:-FEW]
        if lent:
            if all(one.training == now["wanted"] for one, _ in lent):
                run.verified()
            else:
                run.contradicted("the model sets the mode of its layers itself, while it is called")
        put_back()
        if now["unclear"]:
            nodes = [t.grad_fn for t in run.tensors(output) if t.grad_fn is not None]
            waiting.append((now["place"], nodes))
            # Holding on to graphs costs memory.
            del waiting[:-FEW]

    def used(tensors: list[Any]) -> None:
        """What trains is given a tensor that was made without gradients, or one that shares its memory."""
        places = {place(t) for t in idle} - {0}
        if places and any(place(t) in places for t in tensors):
            run.contradicted("a model called without gradients is part of the training")

    def place(tensor: Any) -> int:
        return int(tensor.untyped_storage().data_ptr()) if tensor.layout == torch.strided else 0

    @run.on_input
    def given(module: Any, args: Any, kwargs: Any) -> None:
        used(run.tensors((args, kwargs)))

    @run.on_target
    def met(target: Any, output: Any) -> None:
        used([target])

    @run.on_backward
    def led_here(losses: Any) -> None:
        """Calls whose output this backward comes to were training."""
        if waiting:
            reached = below([t.grad_fn for t in losses if t.grad_fn is not None])
            proven.update(place for place, nodes in waiting if any(node in reached for node in nodes))

    @run.on_stepped
    def let_go(optimizer: Any) -> None:
        waiting.clear()

    def below(nodes: list[Any]) -> set[Any]:
        seen, ahead = set(nodes), list(nodes)
        while ahead and len(seen) < NODES:
            for node, _ in ahead.pop().next_functions:
                if node is not None and node not in seen:
                    seen.add(node)
                    ahead.append(node)
        return seen
