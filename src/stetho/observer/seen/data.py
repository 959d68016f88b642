"""Data on its way in: loaders, waiting for them, what enters the model, and which samples come again."""

from __future__ import annotations

import functools
import inspect
import time
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import DataLoader, IterableDataset, dataloader

from .. import guard, sites
from ..guard import guarded
from ..late.streams import Streams
from ..tensors import tensors_in
from ..unseen import unrecorded
from .inputs import fingerprints, first_tensor, is_sequence, packed, scale
from .rows import Rows
from .units import Units

if TYPE_CHECKING:
    from ..patches import Patches
    from ..watch import Watch

KEPT_SAMPLES = 1500
KEPT_FEATURES = 128
# Whole samples kept to be looked at, and the most elements one of them may have.
RAW, RAW_SIZE = 6, 65_536
# Batches of evaluation whose samples have fingerprints.
EVALUATED = 200
LABELS = 256
GENERATORS = (
    ("random", "Random"),
    ("numpy.random", "Generator"),
    ("numpy.random", "RandomState"),
    ("numpy.random.mtrand", "RandomState"),
)


class Data:
    """Follows loaders and looks at what enters the models."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.waited = 0.0
        self.loading = False
        self.loaders = 0
        self.numbers: dict[int, int] = {}
        self.last_input: Any = None
        self.tokens: list[Any] = []  # what a model of sequences was last called with for training
        self.input_step = 0
        self.unlabelled = False  # whether a batch waits for the labels that belong to it
        self.last_shown: Any = None
        self.batch: dict[str, Any] | None = None
        self.samples = 0
        self.kept = 0
        self.raw = 0
        self.inputs_written = 0
        self.evaluated = 0
        self.streams = Streams(watch)
        self.rows = Rows(watch)
        self.units = Units(watch)

    def install(self, patches: Patches) -> None:
        """Follow torch's loaders from their making, and time what the program waits for them."""
        made, begun, following = DataLoader.__init__, DataLoader.__iter__, dataloader._BaseDataLoaderIter.__next__
        mine = self

        @functools.wraps(made)
        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            if mine.watch.run.wants("loader"):
                args, kwargs = (), mine.settings(self, args, kwargs)
            made(self, *args, **kwargs)
            mine.loader_made(self)

        @functools.wraps(begun)
        def iterate(self: Any) -> Any:
            mine.epoch_begun(self)
            mine.watch.workers.beginning(self, mine.numbers.get(id(self), -1))
            iterator = begun(self)
            mine.iterator_made(self, iterator)
            return iterator

        @functools.wraps(following)
        def following_batch(self: Any) -> Any:
            if guard.away():
                return following(self)
            paused = mine.watch.tracer.pause()
            start = time.perf_counter()
            mine.loading = True
            try:
                batch = mine.fetched(self, following)
                return mine.delivered(self, batch)
            finally:
                mine.loading = False
                mine.waited += time.perf_counter() - start
                if paused:
                    mine.watch.tracer.go_on()

        # The arguments of a loader by name, for a change that wants them.
        self.signature = inspect.signature(made)
        patches.replace(DataLoader, "__init__", init)
        patches.replace(DataLoader, "__iter__", iterate)
        patches.replace(dataloader._BaseDataLoaderIter, "__next__", following_batch)

    @guarded
    def iterator_made(self, loader: Any, iterator: Any) -> None:
        """Remember whose batches an iterator delivers."""
        self.streams.begun(loader, iterator)

    def settings(self, loader: Any, args: Any, kwargs: Any) -> dict[str, Any]:
        """The arguments that a loader is made with, as a change leaves them."""
        given = self.signature.bind_partial(loader, *args, **kwargs).arguments
        settings = {name: value for name, value in given.items() if name != "self"}
        asked = dict(settings)
        self.watch.run.loader_settings(asked)
        return settings if guard.off else asked

    def fetched(self, iterator: Any, following: Any) -> Any:
        """A loader's next batch, as it makes it or as a change wants it made."""
        fetch = functools.partial(following, iterator)
        for function in self.watch.run.calls.get("fetch", ()):
            fetch = functools.partial(function, iterator, fetch)
        return fetch()

    def delivered(self, iterator: Any, batch: Any) -> Any:
        """The batch, or what a change puts in its place."""
        changed = self._delivered(iterator, batch) if self.streams.active else None
        batch = batch if changed is None else changed
        self.units.came(batch)
        return batch

    @guarded
    def _delivered(self, iterator: Any, batch: Any) -> Any:
        return self.streams.delivered(iterator, batch)

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.last_input = self.batch = None
        self.tokens = []
        self.units.let_go()

    @guarded
    def loader_made(self, loader: Any) -> None:
        """Record a loader and what it was told."""
        number = self.numbers[id(loader)] = self.loaders
        self.loaders += 1
        dataset = loader.dataset
        iterable = isinstance(dataset, IterableDataset)
        sampler = type(loader.sampler).__name__
        shuffle = {"RandomSampler": True, "SequentialSampler": False}.get(sampler)
        if sampler == "DistributedSampler":
            shuffle = bool(getattr(loader.sampler, "shuffle", False))
        site, samples = self.watch.journal.site(sites.here(3, 4)), None if iterable else size(dataset)
        self.streams.made(loader, site, samples, loader.batch_size, sampler)
        self.watch.journal.write(
            "loader",
            l=number,
            site=site,
            samples=samples,
            batches=None if iterable else size(loader),
            batch=loader.batch_size,
            workers=loader.num_workers,
            sampler=sampler,
            shuffle=None if iterable else shuffle,
            drop_last=bool(loader.drop_last),
            iterable=iterable,
            persistent=bool(getattr(loader, "persistent_workers", False)),
            generators=generators(dataset),
        )

    @guarded
    def epoch_begun(self, loader: Any) -> None:
        """Record that a loader starts from its beginning."""
        if id(loader) not in self.numbers:
            self.loader_made(loader)
        # What was shown to a model before this belongs to what was begun before.
        self.write_batch()
        self.watch.journal.write("epoch", l=self.numbers[id(loader)], step=self.watch.step)

    def entering(self, args: Any, kwargs: Any, train: bool) -> None:
        """Look at what a model is called with: fingerprints on many steps, its scale now and then."""
        step = self.watch.step
        self.write_batch()
        value = first_tensor(args, kwargs)
        self.last_input = value.detach() if value is not None and train else None
        self.tokens = []
        if is_sequence(self.last_input):
            others = [t for t in tensors_in((args, kwargs)) if t is not value and is_sequence(t)]
            self.tokens = [self.last_input, *(t.detach() for t in others)]
        self.input_step = step
        self.unlabelled = value is not None
        if value is None:
            return
        self.last_shown = value.dtype
        show = train and (self.inputs_written <= 12 and (step <= 3 or step % 10 == 0))
        look = train and self.watch.tracer.looking and value.is_floating_point()
        with unrecorded():
            value = value.detach()
            self.samples = value.shape[0]
            if value.shape[0] > 0:
                self.evaluated += not train
                self.batch = {"step": step, "phase": "train" if train else "eval", "h": fingerprints(value)}
                if value.numel():
                    self.rows.seen(value, self.batch["h"], train)
                    self.units.entering(value, train)
            if show or (look and not bool(torch.isfinite(value.float()).all())):
                self.inputs_written += 1
                site = self.watch.journal.site(sites.here(2, 6))
                self.watch.journal.write("input", step=step, **scale(value), site=site)

    @guarded
    def loss_seen(self, target: Any) -> None:
        """Keep a few inputs beside their labels, to see later whether the two belong together."""
        if not isinstance(target, torch.Tensor) or target.dim() == 0:
            return
        classes = target.dim() == 1 and target.shape[0] == self.samples and not target.is_floating_point()
        if classes and self.batch is not None and "labels" not in self.batch:
            self.batch["labels"] = target[:LABELS].tolist()
            self.unlabelled = self.last_input is not None
        value = self.last_input
        if value is None or value.dim() < 1 or target.shape[0] != value.shape[0]:
            return
        self.last_input, self.unlabelled = None, False
        self.keep_raw(value, target)
        if self.kept >= KEPT_SAMPLES or value.dim() < 2 or target.numel() > 8 * value.shape[0]:
            return
        flat = value.reshape(value.shape[0], -1)
        if flat.shape[1] > KEPT_FEATURES:
            flat = flat[:, :: flat.shape[1] // KEPT_FEATURES + 1]
        self.kept += value.shape[0]
        self.watch.journal.write(
            "pairs",
            x=packed(flat),
            y=packed(target.detach().reshape(target.shape[0], -1)),
            n=value.shape[0],
            whole=not target.is_floating_point(),
            discrete=not value.is_floating_point(),
        )

    def keep_raw(self, value: Any, target: Any) -> None:
        """Keep a whole sample to be looked at, with its target where that is known."""
        if self.raw < RAW and value.shape[0] and value[0].numel() <= RAW_SIZE:
            self.raw += 1
            shown = str(value.dtype).replace("torch.", "")
            answer = packed(target[:1]) if target is not None and target[0].numel() <= RAW_SIZE else None
            self.watch.journal.write("raw", step=self.input_step, x=packed(value[:1]), dtype=shown, y=answer)

    def was_training(self) -> None:
        """The last batch was trained on although the model was in evaluation mode."""
        if self.batch is not None:
            self.batch["phase"] = "train"

    def write_batch(self) -> None:
        """Hand over the fingerprints of the last batch, with the labels that came for it."""
        if self.batch is not None:
            batch, self.batch = self.batch, None
            self.watch.journal.write("batch", **batch)

    def step_ended(self) -> None:
        """What was kept for this step's labels is of no use to the next one."""
        if self.last_input is not None:
            if self.raw < RAW:
                # No loss took labels of as many samples: in a language model they are many to a sample.
                with unrecorded():
                    self.keep_raw(self.last_input, None)
            self.last_input = None
        self.unlabelled = False
        self.units.let_go()
        if self.batch is not None:
            self.write_batch()


def size(value: Any) -> int | None:
    """The length of something that may not have one, or cannot tell it yet."""
    try:
        return len(value)
    except Exception:  # noqa: BLE001 - it is the program's own, and the program did not ask for it
        return None


def generators(dataset: Any) -> list[str]:
    """Attributes of a data set that hold a random generator: each worker gets a copy in the same state."""
    found = []
    for name, value in list(getattr(dataset, "__dict__", {}).items())[:200]:
        kind = type(value)
        named = (kind.__module__.partition("._")[0], kind.__name__)
        if isinstance(value, torch.Generator) or named in GENERATORS:
            found.append(name)
    return found
