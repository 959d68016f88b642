"""A few samples of many batches, of training and of evaluation, kept to be compared with each other later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .inputs import fingerprints, has_samples, packed

if TYPE_CHECKING:
    from ..watch import Watch

# Samples kept of each phase in all, those of them for batches that come again, the most and the fewest of one batch,
# and numbers of each sample.
ALL, AGAIN, MOST, FEWEST = 1536, 384, 256, {"train": 16, "eval": 8}
NUMBERS = 128
# Of a batch that comes for the first time, one sample in so many is kept.
ONE_IN = 8
# Training steps that are all looked at; of those after them, the fingerprinted ones.
EARLY = 24


class Rows:
    """Keeps samples evenly spread over each batch, so that data in order is met from end to end."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.kept = {"train": 0, "eval": 0}
        self.met: set[str] = set()
        # The step before which the last evaluation was made.
        self.evaluated = -1

    def seen(self, value: Any, prints: list[str], train: bool) -> None:
        """Write down a few samples of what a model was called with."""
        phase, step = "train" if train else "eval", self.watch.step
        room = ALL - self.kept[phase] - (AGAIN if not train and prints[0] not in self.met else 0)
        if room <= 0 or value.dim() < 2 or not has_samples(value) or value.is_complex():
            return
        if train and step >= EARLY and step % 10:
            return
        some = value[:: -(-value.shape[0] // min(room, self.wanted(value.shape[0], prints[0], phase)))]
        flat = some.reshape(some.shape[0], -1)
        apart = -(-flat.shape[1] // NUMBERS)
        self.kept[phase] += some.shape[0]
        self.watch.journal.write(
            "rows",
            step=step,
            phase=phase,
            x=packed(flat[:, ::apart]),
            h=fingerprints(some),
            apart=apart,
            shape=list(value.shape),
            discrete=not value.is_floating_point(),
        )

    def wanted(self, size: int, first: str, phase: str) -> int:
        """How many samples to keep of a batch: more of one that has not come before, most of an evaluation's first."""
        few = FEWEST[phase]
        if phase == "train":
            return few if self.kept[phase] else MOST
        begins, self.evaluated = self.evaluated != self.watch.step, self.watch.step
        if first in self.met:
            return few
        self.met.add(first)
        return MOST if begins else max(few, min(MOST, size // ONE_IN))
