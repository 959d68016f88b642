"""Train the model in evaluation mode: layers that behave otherwise in training behave as they do when it is used.

## What changes
While a model is called for training, all its modules are in evaluation mode, and so they are where a part of it is
computed again in backward; afterwards each is put back into the mode it had. Gradients flow as before. Recurrent layers
stay in training mode with a dropout of 0, since those of cuDNN have no backward otherwise.

## How it is known
At the end of each call every module is still in evaluation mode, and no count of a batch normalisation has moved.

## What it tells
If training is better so, the noise of dropout or the statistics of single batches stand in its way. If the gap between
training and evaluation goes away, these layers make it.

## When it says nothing
Models that are trained in evaluation mode already, and those that set the mode of their layers in each call.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom come from layers that behave otherwise in training mode?"
applies = "models of torch's that are trained in training mode"
values = {"": "whenever it is called for training"}
moves = "layers in evaluation mode draw no random numbers"


def apply(run: Run, value: str) -> None:
    """Lend the mode for the length of each call."""
    torch = run.torch
    lent: list[Any] = []
    shares: list[tuple[Any, float]] = []
    # What is lent to a part while it is computed again, for checkpoints within it.
    repeated: list[Any] = []

    def counts(module: Any) -> list[int]:
        return [int(b) for name, b in module.named_buffers() if name.endswith("num_batches_tracked")]

    @run.on_entering
    def switch(module: Any, training: bool) -> None:
        if run.computing_again:
            return
        put_back()
        if not training:
            return
        switched = [m for m in module.modules() if m.training]
        if not switched:
            run.refused("the model is trained in evaluation mode already")
            return
        for one in switched:
            if isinstance(one, torch.nn.RNNBase):
                shares.append((one, one.dropout))
                one.dropout = 0.0
            else:
                one.training = False
        lent.extend([switched, counts(module)])
        run.applied()

    @run.again
    def lent_now() -> Any:
        """The modes of this call, for what backward computes again."""
        switched = list(lent[0]) if lent else list(repeated)
        return (lambda: as_lent(switched)) if switched else None

    @contextlib.contextmanager
    def as_lent(switched: list[Any]) -> Iterator[None]:
        own = [(m, m.training) for m in switched if not isinstance(m, torch.nn.RNNBase)]
        drops = [(m, m.dropout) for m in switched if isinstance(m, torch.nn.RNNBase)]
        before = list(repeated)
        repeated[:] = switched
        for one, _ in own:
            one.training = False
        for one, _ in drops:
            one.dropout = 0.0
        try:
            yield
        finally:
            repeated[:] = before
            for one, mode in own:
                one.training = mode
            for one, share in drops:
                one.dropout = share

    def put_back() -> None:
        for one, share in shares:
            one.dropout = share
        for one in lent[0] if lent else ():
            one.training = True
        lent.clear()
        shares.clear()

    @run.on_left
    def look_and_put_back(module: Any, training: bool) -> None:
        if not lent:
            return
        still = not any(m.training for m in lent[0] if not isinstance(m, torch.nn.RNNBase))
        if still and counts(module) == lent[1]:
            run.verified()
        else:
            run.contradicted("the model sets the mode of its layers itself, while it is called")
        put_back()
