"""Put ordinary numbers in the place of NaN and Inf in the data.

## What changes
Values of the inputs that are NaN or Inf become the mean that their feature has shown so far, in training and in
evaluation. A target that is NaN or Inf becomes what the model answers there, so that it teaches nothing.

## How it is known
What the model was called with, and what meets its output, is finite.

## What it tells
If the loss stays finite and learns, the NaN came in with the data.

## When it says nothing
All data is finite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it stay finite, and learn, when the data is finite?"
applies = "data with NaN or Inf in it"
somewhere = True
values = {"": "means of features; the model's own answers for targets"}
by_hand = False
backgrounds = {"": {"symptom-gone": 0.03, "better": 0.03, "same": 0.82, "worse": 0.06, "new-failure": 0.06}}


def apply(run: Run, value: str) -> None:
    """Fill what is not finite where it enters the model and where it meets its output."""
    torch = run.torch
    seen: dict[Any, Any] = {}

    def filled(place: Any, tensor: Any, known: bool) -> Any:
        if not tensor.is_floating_point() or not tensor.numel():
            return None
        features = seen.setdefault(place, run.features())
        if run.training:
            features.add(tensor)
        finite = tensor.isfinite()
        if not known or bool(finite.all()):
            return None
        run.applied()
        mean = torch.zeros((), dtype=tensor.dtype)
        if features.knows(tensor):
            mean = features.moments(tensor)[0].to(tensor.dtype)
        return torch.where(finite, tensor, mean.to(tensor.device).expand_as(tensor))

    def look(place: Any, given: Any, entered: Any) -> None:
        if bool(entered.isfinite().all()):
            run.verified()

    @run.on_target
    def taught(target: Any, met: Any) -> Any:
        if not target.is_floating_point() or bool(target.isfinite().all()):
            return target
        stands = torch.zeros_like(target)
        if torch.is_tensor(met) and met.shape == target.shape:
            stands = met.detach().to(target.dtype)
        new = torch.where(target.isfinite(), target, stands)
        run.applied()
        if bool(new.isfinite().all()):
            run.verified()
        return new

    run.on_samples(filled, look, always=True)
