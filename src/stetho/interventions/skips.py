"""Lead the signal past each hidden activation: what came out of the last one is added to what comes out of the next.

## What changes
Within a call of a model, the output of sigmoid, tanh, ReLU, GELU and their kin gets the output of the activation before
it added, where both have the same shape; a sigmoid in such a place becomes a tanh, which is not one-sided. The first
activation, and those whose shape changes, stay as they are. Training and evaluation are alike.

## How it is known
What comes out is not what the activation alone would have made.

## What it tells
If a deep model that is stuck learns now, its layers passed on too little of the signal and of the gradient.

## When it says nothing
Models with fewer than three activations of one shape in a row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when the signal can go past the activations?"
applies = "deep models that call activations of torch's"
by_hand = False
values = {"": "past every hidden activation"}
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.72, "worse": 0.18, "new-failure": 0.05}}
FUNCTIONS = ("relu", "gelu", "silu", "elu", "leaky_relu", "softsign", "hardtanh")
NAMES = ("sigmoid", "tanh", "relu")
# Activations in a row that make a model deep.
DEEP = 3


def apply(run: Run, value: str) -> None:
    """Stand in for the activations, and remember the last one of each call of a model."""
    torch = run.torch
    squashing, tanh = (torch.sigmoid, torch.Tensor.sigmoid), torch.tanh
    last: list[Any] = []
    longest = [0]

    def past(original: Any, input: Any, *args: Any, **kwargs: Any) -> Any:
        if not run.inside_model or not torch.is_tensor(input) or input.dim() < 2:
            return original(input, *args, **kwargs)
        before = last[-1] if last and last[-1].shape == input.shape else None
        made = original(
            input.clone() if kwargs.get("inplace") or (args and args[-1] is True) else input, *args, **kwargs
        )
        if before is None:
            last[:] = [made]
            return made
        alone = made
        made = before + (tanh(input) if original in squashing else made)
        last.append(made)
        longest[0] = max(longest[0], len(last))
        if len(last) >= DEEP:
            run.applied()
            if not torch.equal(made.detach(), alone.detach()):
                run.verified()
        return made

    for name in FUNCTIONS:
        run.instead(torch.nn.functional, name, past)
    for name in NAMES:
        for owner in (torch, torch.Tensor):
            run.instead(owner, name, past)

    @run.on_entering
    def begin(module: Any, training: bool) -> None:
        last.clear()

    @run.on_left
    def end(module: Any, training: bool) -> None:
        last.clear()

    @run.on_stepped
    def none_seen(optimizer: Any) -> None:
        if not run.count:
            run.refused("there are no three activations of one shape in a row")
