"""Weights that the program read, beside those that its first step really uses."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any, Iterator

import torch

from .. import guard, sites
from ..guard import guarded
from ..unseen import is_compiling, unrecorded
from .saved import Saved

if TYPE_CHECKING:
    from ..patches import Patches
    from ..watch import Watch
    from ..watched import Watched

# Values looked at of each tensor, the fewest that can be compared, and how alike two tensors of one origin are. Where a
# tensor and another grew out of the same seed, they are alike as well; a copy that was rounded or scaled is closer.
LOOKED_AT, FEWEST, ALIKE, COPY = 64, 6, 0.8, 0.999
# Tensors and sources that are remembered, and how deep containers are searched.
MOST, KEPT, DEPTH = 3000, 12, 4

Sample = list[float]


class Sources:
    """Remembers a few values of each tensor that was read from a file or given to `load_state_dict`."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.known: list[tuple[str, Any, dict[tuple[int, ...], list[Sample]]]] = []
        self.saved = Saved(watch)

    def install(self, patches: Patches) -> None:
        """Follow what files give."""
        original = torch.load
        mine = self

        @functools.wraps(original)
        def load(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            if not guard.away() and not is_compiling():
                mine.read("file", result)
                mine.saved.read(result)
            return result

        patches.replace(torch, "load", load)
        writes = torch.save

        @functools.wraps(writes)
        def save(*args: Any, **kwargs: Any) -> Any:
            if not guard.away() and not is_compiling():
                mine.written(args[1] if len(args) > 1 else kwargs.get("f"))
            return writes(*args, **kwargs)

        patches.replace(torch, "save", save)

    @guarded
    def written(self, file: Any) -> None:
        """A file that torch writes by itself, of which Python does not hear."""
        if isinstance(file, (str, os.PathLike)):
            self.watch.process.heard("open", (os.fspath(file), "wb", 0))

    @guarded
    def read(self, what: str, value: Any) -> None:
        """Remember what was read, the last few times."""
        found: dict[tuple[int, ...], list[Sample]] = {}
        with unrecorded():
            for number, tensor in enumerate(weights_in(value)):
                if number >= MOST:
                    break
                sample = values_of(tensor)
                if sample is not None:
                    found.setdefault(tuple(tensor.shape), []).append(sample)
        if found:
            place = self.watch.journal.site(sites.here(3, 4))
            self.known = [*self.known[-KEPT + 1 :], (what, place, found)]

    def let_go(self) -> None:
        """Forget it all."""
        self.known = []
        self.saved.let_go()

    @guarded
    def before_first_step(self, watched: Watched) -> None:
        """Record how much of each source is in the weights that a new optimizer is about to step."""
        self.saved.before_first_step(watched)
        if not self.known:
            return
        held = {id(p): p for p in watched.parameters()}
        models = self.watch.modules.live_roots()
        mine = [m for m in models if any(id(p) in held for p in m.parameters())]
        weights = list({**held, **{id(p): p for m in mine for p in m.parameters()}}.values())
        trained = {id(p) for w in self.watch.optimizers.values() for p in w.parameters()}
        others = [p for m in models if not any(id(p) in trained for p in m.parameters()) for p in m.parameters()]
        with unrecorded():
            looked = [(p.numel(), tuple(p.shape), values_of(p)) for p in weights[:MOST]]
            beside = [(p.numel(), tuple(p.shape), values_of(p)) for p in others[:MOST]]
        whole, idle = (sum(n for n, _, sample in some if sample is not None) for some in (looked, beside))
        for what, place, found in self.known:
            fits, could = (
                sum(n for n, shape, sample in some if sample is not None and shape in found)
                for some in (looked, beside)
            )
            self.watch.journal.write(
                "source", o=watched.index, what=what, site=place, elements=whole, fits=fits,
                held=taken_from(found, looked), elsewhere=taken_from(found, beside),
                copied=taken_from(found, looked, COPY), idle=idle, idle_fits=could,
            )  # fmt: skip
        self.known = []


def taken_from(
    found: dict[tuple[int, ...], list[Sample]], looked: list[tuple[int, tuple[int, ...], Any]], least: float = ALIKE
) -> int:
    """Elements of the weights that are like a tensor of the same shape in a source."""
    return sum(
        n for n, shape, one in looked if one is not None and any(alike(one, s, least) for s in found.get(shape, ()))
    )


def weights_in(value: Any, depth: int = DEPTH) -> Iterator[Any]:
    """The tensors inside plain containers, and those of models."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, torch.nn.Module):
        yield from value.parameters()
    elif depth and isinstance(value, (dict, list, tuple)):
        for part in list(value.values()) if isinstance(value, dict) else value:
            yield from weights_in(part, depth - 1)


def values_of(tensor: Any) -> Sample | None:
    """A few values spread over a tensor; None where they cannot be read, or are all the same."""
    plain = type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.layout == torch.strided and not tensor.is_meta
    if not plain or not tensor.is_floating_point() or tensor.numel() < FEWEST:
        return None
    count, whole = min(LOOKED_AT, tensor.numel()), tensor.numel()
    flat = tensor.detach().reshape(-1)
    places = torch.tensor([i * (whole - 1) // (count - 1) for i in range(count)], device=flat.device)
    sample = [float(value) for value in flat[places].tolist()]
    return sample if max(sample) > min(sample) else None


def alike(one: Sample, other: Sample, least: float = ALIKE) -> bool:
    """Whether two tensors go up and down together, as one does with a copy of it that was rounded or scaled."""
    if len(one) != len(other):
        return False
    means = sum(one) / len(one), sum(other) / len(other)
    a, b = [v - means[0] for v in one], [v - means[1] for v in other]
    size = (sum(v * v for v in a) * sum(v * v for v in b)) ** 0.5
    return bool(size > 0 and sum(x * y for x, y in zip(a, b)) / size > least)
