"""Train on all near copies of a sample, or on none.

## What changes
Training samples that are nearer to each other than a distance are taken for one group. Every second group is taken out
of the training as a whole, input and target alike, and other samples stand in for it. Evaluation stays as it is.

## How it is known
What the model was called with holds no sample that was taken out.

## What it tells
If held-out results get clearly worse, and do not where as many samples are taken out and of each group one stays
(`siblings-thinned`), the answers rest on copies that had been trained on.

## When it says nothing
No samples are near copies of each other, or the inputs are tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "How good is it on samples of which it has seen no near copy?"
applies = "models called with tensors of floating-point numbers"
by_hand = False
values = {"D": "up to the distance D", "": "the distance that was measured"}
example = "0.5"
alters = "shared"
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.03, "same": 0.89, "worse": 0.05, "new-failure": 0.02}}
# Numbers of a sample that are compared, as those were from which the distance was measured; groups that are told apart.
NUMBERS, GROUPS = 128, 20000
THINNED = "thinned"


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether near copies of held-out samples were seen in training."""
    found = facts.get("siblings")
    return found is not None and found.with_training > 0


def chosen(facts: Mapping[str, Any]) -> str:
    """The distance that tells copies from strangers, as it was measured."""
    found = facts.get("siblings")
    return "" if found is None else f"{found.between:.6g}"


def read(value: str) -> tuple[float, bool]:
    """The distance, and whether one sample of each group stays."""
    distance, _, how = value.partition("/")
    if how not in ("", THINNED) or (distance and not float(distance) > 0):
        raise ValueError("the distance is a number above 0")
    return float(distance or 0), how == THINNED


class Groups:
    """Numbers samples by the first one met that they are near to."""

    def __init__(self, torch: Any, distance: float) -> None:
        self.torch, self.distance = torch, distance
        self.firsts: Any = None
        self.of: dict[str, tuple[int, bool]] = {}

    def add(self, prints: list[str], tensor: Any) -> None:
        """The group of each new sample, and whether it is the first of it."""
        new = [row for row, one in enumerate(prints) if one not in self.of]
        if not new or len(self.of) > GROUPS:
            return
        flat = tensor.detach().reshape(tensor.shape[0], -1)
        flat = flat[:, :: -(-flat.shape[1] // NUMBERS)].double().cpu()
        for row in new:
            near = self.nearest(flat[row])
            if near is None:
                one = flat[row : row + 1]
                self.firsts = one if self.firsts is None else self.torch.cat((self.firsts, one))
            self.of.setdefault(prints[row], (len(self.firsts) - 1 if near is None else near, near is None))

    def nearest(self, one: Any) -> int | None:
        """The group whose first sample is near."""
        if self.firsts is None:
            return None
        far = (self.firsts - one).norm(dim=1)
        at = int(far.argmin())
        return at if float(far[at]) < self.distance else None


def apply(run: Run, value: str) -> None:
    """Number the groups as they come, and take every second one out, or as many samples that are not the first."""
    distance, thinned = read(value)
    if not distance:
        run.refused("how near copies are was not measured")
        return
    groups = Groups(run.torch, distance)
    outside: dict[str, bool] = {}
    stays: list[tuple[int, int]] = []
    gone: set[str] = set()

    def decide(prints: list[str]) -> None:
        for one in prints:
            if one in outside or one not in groups.of:
                continue
            number, is_first = groups.of[one]
            half = 2 * sum(outside.values()) < len(outside)
            outside[one] = (half and not is_first) if thinned else number % 2 == 1

    def choose(call: int, prints: list[str]) -> list[tuple[int, int]] | None:
        tensor = rows.calls[call].tensors.get(rows.path or ())
        gone.clear()
        if tensor is None or not tensor.is_floating_point() or tensor.dim() < 2:
            return None
        groups.add(prints, tensor)
        decide(prints)
        held = [outside.get(one, False) for one in prints]
        good = [(call, row) for row, is_out in enumerate(held) if not is_out]
        if good:
            stays[:] = good
        if not any(held):
            return None
        usable = good or sorted(set(stays).intersection(rows.pool()))
        if not usable:
            run.contradicted("a batch holds none but samples that are to be taken out")
            return None
        gone.update(prints[row] for row, is_out in enumerate(held) if is_out)
        run.applied()
        return [usable[row % len(usable)] if is_out else (call, row) for row, is_out in enumerate(held)]

    def entered(prints: list[str]) -> None:
        if not gone.intersection(prints):
            run.verified()
        else:
            run.contradicted("a sample that was taken out reached the model")

    rows = run.on_rows(choose, entered)
