"""Data on its way in: loaders, waiting for them, what enters the model, and which samples come again."""

from __future__ import annotations

import base64
import ctypes
import functools
import time
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import DataLoader, IterableDataset, dataloader

from . import guard, sites
from .gradients import WHOLE_NUMBERS
from .guard import guarded
from .streams import Streams
from .tensors import tensors_in
from .unseen import unrecorded

if TYPE_CHECKING:
    from .patches import Patches
    from .watch import Watch

KEPT_SAMPLES = 1500
KEPT_FEATURES = 128
# Whole samples kept to be looked at, and the most elements one of them may have.
RAW, RAW_SIZE = 6, 65_536
# Elements of a sample that go into its fingerprint; samples of one batch, and batches of evaluation, that have one.
PRINTED, PRINTS, EVALUATED = 64, 256, 200
LABELS = 256
GENERATORS = (
    ("random", "Random"),
    ("numpy.random", "Generator"),
    ("numpy.random", "RandomState"),
    ("numpy.random.mtrand", "RandomState"),
)
FEATURES = 64


class Data:
    """Follows loaders and looks at what enters the models."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.waited = 0.0
        self.loading = False
        self.loaders = 0
        self.numbers: dict[int, int] = {}
        self.last_input: Any = None
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

    def install(self, patches: Patches) -> None:
        """Follow torch's loaders from their making, and time what the program waits for them."""
        made, begun, following = DataLoader.__init__, DataLoader.__iter__, dataloader._BaseDataLoaderIter.__next__
        mine = self

        @functools.wraps(made)
        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            made(self, *args, **kwargs)
            mine.loader_made(self)

        @functools.wraps(begun)
        def iterate(self: Any) -> Any:
            mine.epoch_begun(self)
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
                batch = following(self)
                return mine.delivered(self, batch)
            finally:
                mine.loading = False
                mine.waited += time.perf_counter() - start
                if paused:
                    mine.watch.tracer.go_on()

        patches.replace(DataLoader, "__init__", init)
        patches.replace(DataLoader, "__iter__", iterate)
        patches.replace(dataloader._BaseDataLoaderIter, "__next__", following_batch)

    @guarded
    def iterator_made(self, loader: Any, iterator: Any) -> None:
        """Remember whose batches an iterator delivers."""
        self.streams.begun(loader, iterator)

    def delivered(self, iterator: Any, batch: Any) -> Any:
        """The batch, or what a change puts in its place."""
        changed = self._delivered(iterator, batch) if self.streams.active else None
        return batch if changed is None else changed

    @guarded
    def _delivered(self, iterator: Any, batch: Any) -> Any:
        return self.streams.delivered(iterator, batch)

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.last_input = self.batch = None

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
        self.watch.journal.write("epoch", l=self.numbers[id(loader)], step=self.watch.step)

    def entering(self, args: Any, kwargs: Any, train: bool) -> None:
        """Look at what a model is called with: fingerprints on many steps, its scale now and then."""
        step = self.watch.step
        self.write_batch()
        value = first_tensor(args, kwargs)
        self.last_input = value.detach() if value is not None and train else None
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


def has_samples(tensor: Any) -> bool:
    """Whether a tensor is a table of numbers, one row to a sample; sparse, nested and quantized ones are not read."""
    return tensor.layout is torch.strided and not tensor.is_nested and tensor.dim() > 0 and not tensor.is_quantized


def first_tensor(args: Any, kwargs: Any) -> Any:
    """The tensor that holds the samples: the first one by position; by keyword, the largest, as labels are smaller."""
    if args and isinstance(args[0], torch.Tensor) and has_samples(args[0]):
        return args[0]
    found = next((t for t in tensors_in(args) if has_samples(t)), None)
    if found is None and kwargs:
        named = [t for t in tensors_in(kwargs) if has_samples(t)]
        found = max(named, key=lambda t: t.numel(), default=None)
    return found


def fingerprints(value: Any) -> list[str]:
    """One number per sample that only an identical sample shares. Whole-number sums do not depend on their order."""
    some = value[:PRINTS]
    flat = some.reshape(some.shape[0], -1)
    if flat.shape[1] > PRINTED:
        flat = flat[:, :: flat.shape[1] // PRINTED + 1]
    flat = flat.cpu().contiguous()
    if flat.is_complex():
        flat = torch.view_as_real(flat).reshape(flat.shape[0], -1)
    if flat.is_floating_point():
        flat = flat.view(WHOLE_NUMBERS[flat.element_size()])
    weight = torch.arange(1, flat.shape[1] + 1, dtype=torch.int64) * 0x9E3779B97F4A7C1
    sums = (flat.to(torch.int64) * weight.bitwise_or(1)).sum(dim=1)
    return [f"{v & 0xFFFFFFFFFFFFFFFF:016x}" for v in sums.tolist()]


def scale(value: Any) -> dict[str, Any]:
    """How large an input is and how unevenly its features vary, to tell whether it was normalised."""
    number = value.float()
    fields: dict[str, Any] = {
        "n": number.shape[0],
        "mean": float(number.mean()),
        "std": float(number.std(unbiased=False)) if number.numel() > 1 else 0.0,
        "low": float(number.min()) if number.numel() else 0.0,
        "high": float(number.max()) if number.numel() else 0.0,
        "bad": int((~torch.isfinite(number)).sum()),
        "discrete": not value.is_floating_point() and value.dtype != torch.uint8,
        "dtype": str(value.dtype).replace("torch.", ""),
        "shape": list(value.shape),
    }
    if number.dim() == 2 and number.shape[0] > 7 and number.shape[1] > 1:
        spread = number.std(dim=0, unbiased=False)
        moving = spread[spread > 1e-12]
        fields["constant"] = number.shape[1] - moving.numel()
        if moving.numel() > 1:
            fields["spread"] = float(moving.max() / moving.min())
    if number.dim() > 1 and number.shape[0] > 1 and number.shape[1] <= FEATURES and value.is_floating_point():
        columns = number.transpose(0, 1).reshape(number.shape[1], -1)
        fields["fmean"] = columns.mean(dim=1).tolist()
        fields["fstd"] = columns.std(dim=1, unbiased=False).tolist()
    return fields


def packed(value: Any) -> dict[str, Any]:
    """A tensor as base64 of float32, with its shape."""
    number = value.detach().to(device="cpu", dtype=torch.float32).contiguous()
    raw = ctypes.string_at(number.data_ptr(), number.numel() * 4) if number.numel() else b""
    return {"shape": list(number.shape), "b64": base64.b64encode(raw).decode("ascii")}
