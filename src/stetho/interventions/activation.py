"""Put another activation in the place of ReLU.

## What changes
Every call of ReLU, as a layer, a function or a method, in place or not, in training and in evaluation.

## How it is known
Values below 0 that go in do not come out as 0.

## What it tells
If a model that is stuck learns with an activation that never switches off, its units were dead.

## When it says nothing
Models without ReLU, those that write it as a maximum or a clamp, and calls inside a compiled graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Do units that ReLU has switched off hold learning back?"
applies = "models that call ReLU"
values = {
    "leaky": "a slope of 0.01 below 0",
    "gelu": "GELU",
    "silu": "SiLU",
    "tanh": "tanh",
    "elu": "ELU",
    "softplus": "softplus",
}
example = "leaky"
backgrounds = {"leaky": {"symptom-gone": 0.02, "better": 0.025, "same": 0.825, "worse": 0.11, "new-failure": 0.02}}
# Calls whose values are looked at.
LOOKS = 200


def read(value: str) -> str:
    """The name of the function of torch's."""
    names = {"leaky": "leaky_relu", "tanh": "tanh"}
    if value not in values:
        raise ValueError("no such activation")
    return names.get(value, value)


def apply(run: Run, value: str) -> None:
    """Stand in for every way to call ReLU."""
    torch, name = run.torch, read(value)
    functional = torch.nn.functional
    function: Any = torch.tanh if name == "tanh" else getattr(functional, name)

    def look(given: Any, made: Any) -> None:
        run.applied()
        if run.count <= LOOKS:
            below = given.detach() < 0
            if bool(below.any()) and bool((made.detach()[below] != 0).any()):
                run.verified()

    def swapped(input: Any) -> Any:
        made = function(input)
        look(input, made)
        return made

    def overwritten(input: Any) -> Any:
        """In place, as asked for; the function keeps a copy of what it was given for its backward."""
        given = input.clone()
        made = function(given)
        look(given, made)
        return input.copy_(made)

    def either(original: Any, input: Any, inplace: bool = False) -> Any:
        return overwritten(input) if inplace else swapped(input)

    def in_place(original: Any, input: Any) -> Any:
        return overwritten(input)

    run.instead(functional, "relu", either)
    run.instead(functional, "relu_", in_place)
    for owner in (torch, torch.Tensor):
        run.instead(owner, "relu", either)
        run.instead(owner, "relu_", in_place)
    # A shortcut of the transformer's layers in evaluation, which has ReLU built in.
    backend = getattr(torch.backends, "mha", None)
    if backend is not None:
        backend.set_fastpath_enabled(False)

    @run.on_stepped
    def none_seen(optimizer: Any) -> None:
        if not run.count:
            run.refused("the model does not call ReLU")
