"""Put an activation between layers that only multiply and add.

## What changes
Within a call of a model, what enters a linear layer or a convolution goes through ReLU first, except what enters the
first one of the call. Training and evaluation are alike.

## How it is known
Values below 0 that come in are 0 behind it.

## What it tells
If a model of several layers learns now what it could not learn before, its layers were one linear map.

## When it says nothing
Models with a single layer, and those that write the multiplication themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it learn when the layers are not one linear map?"
applies = "models of several linear layers or convolutions"
by_hand = False
values = {"": "ReLU before every layer but the first"}
backgrounds = {"": {"symptom-gone": 0.02, "better": 0.03, "same": 0.72, "worse": 0.19, "new-failure": 0.04}}
LAYERS = ("linear", "conv1d", "conv2d", "conv3d")
# Calls whose values are looked at.
LOOKS = 200


def apply(run: Run, value: str) -> None:
    """Stand in for the layers' functions, and count them within each call of a model."""
    torch = run.torch
    met = [0]

    def activated(original: Any, input: Any, *args: Any, **kwargs: Any) -> Any:
        if not run.inside_model:
            return original(input, *args, **kwargs)
        met[0] += 1
        if met[0] == 1:
            return original(input, *args, **kwargs)
        made = torch.clamp(input, min=0)
        run.applied()
        if run.count <= LOOKS and bool((input.detach() < 0).any()):
            run.verified()
        return original(made, *args, **kwargs)

    for name in LAYERS:
        run.instead(torch.nn.functional, name, activated)

    @run.on_entering
    def begin(module: Any, training: bool) -> None:
        met[0] = 0

    @run.on_stepped
    def none_seen(optimizer: Any) -> None:
        if not run.count:
            run.refused("the model has no second layer")
