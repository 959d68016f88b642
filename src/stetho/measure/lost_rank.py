"""Which rank was lost by itself, while the others were lost by adding its gradients to theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import median

from stetho.facts import LostRank
from stetho.measure.nonfinite import bad_gradients, bad_losses
from stetho.measure.series import Measured, main_steps, taken
from stetho.recording import Recording, Step

# Steps before the loss in which a run-up would show.
LAST = 3
# What the replay says where a step, done again, has nothing wrong in it.
FINITE = "the replay of the step gives finite numbers only"


@dataclass(frozen=True)
class _Fate:
    """When a rank was lost: by itself, and at all."""

    steps: int
    loss: int | None
    gradient: int | None
    lost: int | None

    @property
    def own(self) -> int | None:
        return min((step for step in (self.loss, self.gradient) if step is not None), default=None)


def _fate(recording: Recording, steps: list[Step]) -> _Fate:
    losses, gradients = bad_losses(steps), bad_gradients(steps)
    own = [int(body["i"]) for body in recording.of("own-gradient") if body.get("lost")]
    # What was not finite and left out of the step has done nothing to it.
    used = set(gradients)
    return _Fate(
        taken(steps),
        min((step for step in losses if step in used), default=None),
        min((step for step in own if step in used), default=None),
        min(gradients, default=None),
    )


def lost_rank(ranks: Mapping[int, Recording]) -> Iterator[Measured]:
    """The one rank whose own numbers were lost first, where those of all others were lost with them."""
    found = alone(ranks)
    if found is None:
        return
    rank, step, what = found
    others = tuple(one for one in ranks if one != rank)
    steps = {one: main_steps(recording) for one, recording in ranks.items()}
    curves = [_losses(table, until=step if one == rank else step + 1) for one, table in steps.items()]
    norms = [
        [s.gradient for s in table if s.index < step and s.gradient is not None and isfinite(s.gradient)]
        for table in steps.values()
    ]
    read, again = _read(ranks[rank], step)
    at = next((site for s in steps[rank] if s.index == step for site, _ in s.losses), None)
    fact = LostRank(
        rank=rank,
        step=step,
        what=what,
        others=others,
        loss_raised=max(map(_raised, curves)),
        gradient_raised=max(map(_raised, norms)),
        read_finite=read,
        again=again,
        where=ranks[rank].place(at),
    )
    yield fact, f"at step {step} the {what} of rank {rank} alone is NaN or Inf; with it all ranks are lost"


def alone(ranks: Mapping[int, Recording]) -> tuple[int, int, str] | None:
    """The rank that was lost by itself, the step, and what of it was lost; None where there is no such rank."""
    fates = {rank: _fate(recording, main_steps(recording)) for rank, recording in ranks.items()}
    first = min((fate.lost for fate in fates.values() if fate.lost is not None), default=None)
    if first is None or len(fates) < 2:
        return None
    early = [rank for rank, fate in fates.items() if fate.own is not None and fate.own <= first]
    if len(early) != 1:
        return None
    for rank, fate in fates.items():
        # Ranks that had ended before say nothing; what stays whole was not poisoned.
        if rank != early[0] and (fate.steps <= first or fate.lost is None or fate.lost > first + 1):
            return None
    fate = fates[early[0]]
    return early[0], first, "loss" if fate.loss is not None and fate.loss <= first else "gradient"


def _losses(steps: Sequence[Step], until: int) -> list[float]:
    return [v for s in steps if s.index < until for _, v in s.losses if isfinite(v)]


def _raised(values: Sequence[float]) -> float:
    """The highest of the last values as a multiple of the usual one; a run-up may begin with the second step."""
    sizes = [abs(value) for value in values]
    if len(sizes) < 2:
        return 1.0
    usual = min(sizes[0], median(sizes))
    return max(sizes[-LAST:]) / usual if usual > 0 else 1.0


def _read(recording: Recording, step: int) -> tuple[bool | None, bool | None]:
    """Whether what the rank read was finite, and whether the step was lost again when it was done again."""
    if any(body.get("bad") for body in recording.of("input") if body.get("step") in (None, step)):
        return False, None
    for body in recording.of("origin"):
        if body["step"] == step:
            return body["phase"] != "data", bool(body.get("replayed"))
    for body in recording.of("unlocalised"):
        if body["step"] == step and body.get("why") == FINITE:
            return True, False
    return None, None
