"""By which shift and scale the program's own numbers become what enters the model, as it goes on.

The numbers that an input was made of are looked for among the names of the user's frames and in what a loader has
delivered: a tensor of the same form, or rows of a larger one. They are known by what they give: each feature of the
input is theirs, shifted and scaled, to the last digits.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any, Iterable, Iterator

import torch

from .. import sites
from ..unseen import unrecorded
from .inputs import has_samples

if TYPE_CHECKING:
    from ..watch import Watch

# Looks in all, those of evaluation among them, and looks without a find after which no more are taken.
LOOKS, IDLE, GIVE_UP = 96, 32, 8
# Rows and features that are compared, the fewest rows, and what rounding may leave of a feature's spread.
ROWS, FEATURES, LEAST, ROUNDING = 48, 64, 4, 2e-3
# Names of a frame that are gone through, and the largest table whose rows are tried.
NAMES, TABLE = 200, 4_000_000
FRAMES, SHORT = 4, 8


class Units:
    """Looks at some calls of a model for the numbers that its input was made of."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.looks = {"train": 0, "eval": 0}
        self.missed = 0
        self.delivered: Any = None
        """What a loader has given last, as long as it is looked at."""

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.delivered = None

    def came(self, batch: Any) -> None:
        """A loader has delivered."""
        wanted = self.missed < GIVE_UP and self.looks["train"] < LOOKS - IDLE
        self.delivered = batch if wanted or self.watch.run.calls else None

    def entering(self, value: Any, train: bool) -> None:
        """A model is called with a tensor of samples."""
        phase = "train" if train else "eval"
        most = LOOKS - IDLE if train else IDLE
        if self.missed >= GIVE_UP or self.looks[phase] >= most or not measured(value):
            return
        if train and self.watch.step > 16 and self.watch.step % 10:
            return
        self.looks[phase] += 1
        found = self.source(value, sites.user_frames(FRAMES, 2))
        if found is None:
            self.missed += 1
            return
        self.missed = 0
        raw, scale, shift = found
        rows = part(raw)
        self.watch.journal.write(
            "units",
            step=self.watch.step,
            phase=phase,
            a=scale.tolist(),
            b=shift.tolist(),
            m=rows.mean(0).tolist(),
            s=rows.std(0, unbiased=False).tolist(),
        )

    def source(self, value: Any, frames: Iterable[Any]) -> tuple[Any, Any, Any] | None:
        """The numbers that an input was made of, with scale and shift of each feature; None where none are found."""
        with unrecorded():
            for raw in self.candidates(value, frames):
                found = affine(part(raw), part(value))
                if found is not None and not same(found):
                    return (raw, *found)
        return None

    def candidates(self, value: Any, frames: Iterable[Any]) -> Iterator[Any]:
        """Tensors in the form of the input, and rows of larger ones, that are at hand where the model is called."""
        size, form = value.shape[0], value.shape[1:]
        tables, indices = [], []
        for tensor in named(frames, self.delivered):
            if tensor.dim() == 1 and tensor.shape[0] == size and not tensor.is_floating_point():
                indices.append(tensor)
            elif tensor.shape[1:] == form and measured(tensor, whole=True) and tensor is not value:
                if tensor.shape[0] == size:
                    yield tensor
                elif tensor.shape[0] > size and tensor.numel() <= TABLE:
                    tables.append(tensor)
        for table in tables:
            for index in indices:
                if index.dtype in (torch.int64, torch.int32) and 0 <= int(index.min()) <= int(index.max()) < len(table):
                    yield table[index.long()]
        for table in tables:
            start = within(table, value)
            if start is not None:
                yield table[start : start + size]


def named(frames: Iterable[Any], delivered: Any) -> Iterator[Any]:
    """Tensors by name in the user's frames, in what these hold, and in a loader's batch; arrays as tensors."""
    seen: set[int] = set()
    for holder in (delivered, *(one for frame in frames for one in [*sites.scope(frame).values()][:NAMES])):
        for one in (holder, *attributes(holder)):
            for tensor in at_hand(one):
                if id(tensor) not in seen and tensor.dim():
                    seen.add(id(tensor))
                    yield tensor


def attributes(holder: Any) -> list[Any]:
    """What an object of the program's holds, read without any code of its own; nothing of modules and classes."""
    if isinstance(holder, (torch.nn.Module, torch.Tensor, type, ModuleType)):
        return []
    try:
        return list(object.__getattribute__(holder, "__dict__").values())[:NAMES]
    except (AttributeError, TypeError):
        return []


def at_hand(one: Any) -> Iterator[Any]:
    """A tensor or an array, or those of a short list."""
    kind = type(one)
    if kind in (tuple, list, dict) and len(one) <= SHORT:
        for each in one.values() if kind is dict else one:
            if type(each) not in (tuple, list, dict):
                yield from at_hand(each)
    elif isinstance(one, torch.Tensor):
        yield one
    elif kind.__module__ == "numpy" and kind.__name__ == "ndarray":
        found = from_array(one)
        if found is not None:
            yield found


def from_array(array: Any) -> Any:
    """A tensor on the memory of an array, where it holds numbers of a kind that torch knows."""
    try:
        return torch.from_numpy(array) if array.ndim and array.flags.writeable else None
    except (TypeError, ValueError, AttributeError):
        return None


def measured(tensor: Any, whole: bool = False) -> bool:
    """Whether a tensor holds measured numbers, several rows of them."""
    fits = has_samples(tensor) and tensor.dim() > 1 and tensor.shape[0] >= LEAST and tensor.numel() > 0
    return fits and (tensor.is_floating_point() or (whole and not tensor.is_complex() and tensor.dtype != torch.bool))


def part(tensor: Any) -> Any:
    """Some rows and features of a tensor, in double precision, the same ones of every tensor of its form."""
    flat = tensor[:: -(-tensor.shape[0] // ROWS)].reshape(-(-tensor.shape[0] // -(-tensor.shape[0] // ROWS)), -1)
    return flat[:, :: -(-flat.shape[1] // FEATURES)].detach().cpu().double()


def affine(raw: Any, made: Any) -> tuple[Any, Any] | None:
    """Scale and shift that make each feature of one table that of the other, to the last digits; None without any."""
    if raw.shape != made.shape or not bool(torch.isfinite(raw).all() and torch.isfinite(made).all()):
        return None
    centre, level = raw.mean(0), made.mean(0)
    around, other = raw - centre, made - level
    spread = around.square().sum(0)
    moving = spread > 1e-12 * raw.square().sum(0).clamp_min(1e-300)
    if int(moving.sum()) < min(2, raw.shape[1]):
        return None
    scale = torch.where(moving, (around * other).sum(0) / spread.clamp_min(1e-300), torch.ones_like(spread))
    left = (other - scale * around).square().sum(0)
    exact = left <= ROUNDING**2 * other.square().sum(0) + 1e-24
    if not bool((exact | ~moving).all()) or not bool((scale[moving] != 0).all()):
        return None
    return scale, level - scale * centre


def same(found: tuple[Any, Any]) -> bool:
    """Whether nothing is shifted or scaled."""
    scale, shift = found
    return bool(((scale - 1).abs() < 1e-4).all() and (shift.abs() < 1e-4).all())


def within(table: Any, value: Any) -> int | None:
    """Where in a table the rows of an input begin, if they stand there in a row; shifts and scales do not matter."""
    size = value.shape[0]
    column = table.reshape(table.shape[0], -1)[:, 0].detach().cpu().double()
    wanted = value.reshape(size, -1)[:, 0].detach().cpu().double()
    if size < LEAST or float(wanted.std()) == 0:
        return None
    # Of four rows in a row, how the steps between them compare.
    steps, target = column.diff(), wanted.diff()
    count = table.shape[0] - size + 1
    k = int(target.abs().argmax())
    likeness = torch.ones(count, dtype=torch.bool)
    for j in {0, size // 2, size - 2} - {k}:
        ours = steps[j : j + count] * target[k]
        theirs = steps[k : k + count] * target[j]
        likeness &= (ours - theirs).abs() <= ROUNDING * (theirs.abs() + ours.abs()) + 1e-12
    likeness &= steps[k : k + count] != 0
    places = likeness.nonzero().reshape(-1)
    return int(places[0]) if 0 < len(places) <= 4 else None
