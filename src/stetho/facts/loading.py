"""Data loading: the loaders and their settings, and which samples came again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.evidence import Place
from stetho.facts.fact import Fact


@dataclass(frozen=True)
class Loader:
    """One DataLoader."""

    where: Place | None
    """The line that made it."""
    samples: int | None
    """Samples in its data set, where that has a length."""
    batches: int | None
    """Batches in an epoch, where that is known."""
    batch: int | None
    """Samples in a batch."""
    workers: int | None
    """Worker processes; 0 loads in the training process itself."""
    sampler: str | None
    """The sampler's class."""
    shuffle: bool | None
    """Whether it draws the samples in random order; None when the sampler does not tell."""
    drop_last: bool | None
    """Whether a last batch that is not full is left out."""
    iterable: bool | None
    """Whether its data set is a stream, which each worker gets a copy of."""
    persistent: bool | None
    """Whether the workers live on from epoch to epoch."""
    generators: tuple[str, ...]
    """Attributes of the data set that hold a random generator; every worker starts with a copy of each."""
    epochs: int | None
    """How often it was gone through, or begun to be; None when a long recording has not kept all of it."""
    phase: str | None = None
    """train or eval, by the batches that came from it."""
    steps_per_epoch: float | None = None
    """The median number of optimizer steps between two of its beginnings."""
    alike: tuple[str, ...] | None = None
    """Generators that workers draw from batch by batch, and that stand at one place in two of them; None when this was
    not seen."""


@dataclass(frozen=True)
class Loaders(Fact):
    """Every DataLoader of the run."""

    fact: ClassVar[str] = "loaders"

    loaders: tuple[Loader, ...]
    """The loaders in the order in which they were made."""


@dataclass(frozen=True)
class Fingerprints(Fact):
    """Which samples came again, told by fingerprints of what entered the model in the batches looked at."""

    fact: ClassVar[str] = "fingerprints"

    batches: int
    """Training batches looked at."""
    samples: int
    """Samples in them."""
    distinct: int
    """Different samples among these."""
    same_as_before: int
    """Training batches that hold the same samples in the same order as the one looked at before."""
    distinct_batches: int
    """Different training batches."""
    epochs: int | None = None
    """Epochs with training batches that were looked at; None when no loader marks them."""
    repeated: int | None = None
    """Samples that came again within the same epoch."""
    epochs_compared: int | None = None
    """Epochs that were compared with the first one, batch by batch."""
    same_order: int | None = None
    """Epochs among them in which the same samples came in the same order as in the first."""
    evaluated: int = 0
    """Different samples in the evaluation batches looked at."""
    shared: int = 0
    """Samples among them that were also trained on."""
    regrouped: int = 0
    """Different samples that came again in training among other samples."""


@dataclass(frozen=True)
class Overlap(Fact):
    """Evaluation samples that were also trained on, batches of training data evaluated on purpose told apart."""

    fact: ClassVar[str] = "overlap"

    evaluated: int
    """Different samples in all evaluation batches looked at."""
    held_out: int
    """Different samples in those evaluation batches that are not training data as a whole."""
    shared: int
    """Samples among the held-out ones that were also trained on."""
    trained: int
    """Different training samples that were met."""
    known: float
    """The share of the training data that this is, by how much of the last batches had come before."""
    expected: float
    """The share of new samples that would equal a training sample by chance."""
    passes: int
    """Evaluation batches looked at."""


@dataclass(frozen=True)
class TrainingSet(Fact):
    """How many samples the run trains on, and how many parameters learn from them."""

    fact: ClassVar[str] = "training-set"

    samples: int
    """Different samples: as many as the loader's data set has, or as were met while they came again and again."""
    parameters: int
    """Parameters that are trained."""
    by_loader: bool
    """Whether the loader tells how many there are."""
