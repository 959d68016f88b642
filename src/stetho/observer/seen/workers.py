"""Random numbers of loader workers: which generators several of them draw from in the same state."""

from __future__ import annotations

import functools
import hashlib
import json
import mmap
import random
import sys
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import dataloader, get_worker_info

from .. import guard
from ..guard import guarded

if TYPE_CHECKING:
    from ..patches import Patches
    from ..watch import Watch

# Bytes that a worker has for what it tells, workers that are listened to, and passes over a loader's data.
ROOM, WORKERS, PASSES = 2048, 64, 2
# How far generators are looked for in a data set, and how many of them are told of.
OBJECTS, DEPTH, LONG, NAMED = 300, 5, 50, 12
# Parts of a data set that hold no generator of a worker's, and may be large.
PLAIN = (str, bytes, int, float, bool, type(None), torch.Tensor, torch.nn.Module)
# The generators that everybody shares; torch gives each worker a seed of its own for them.
SHARED = ("torch", "random", "numpy.random")


class Workers:
    """Has each worker of a loader tell, after its second batch, where the generators stand that it draws from."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.table: Any = None  # what the workers that are about to begin write to
        self.open: list[tuple[int, int, Any, bool]] = []
        self.passes: dict[int, int] = {}

    def install(self, patches: Patches) -> None:
        """Follow what a worker makes its batches with; workers that are not forked are not seen."""
        kind = dataloader._DatasetKind
        original, mine = kind.create_fetcher, self

        @functools.wraps(original)
        def create_fetcher(*args: Any, **kwargs: Any) -> Any:
            fetcher = original(*args, **kwargs)
            try:
                mine.begun(fetcher)
            except Exception:  # noqa: BLE001 - a worker has nobody to tell, and goes on
                fetcher.__dict__.pop("fetch", None)
            return fetcher

        patches.replace(kind, "create_fetcher", staticmethod(create_fetcher))

    @guarded
    def beginning(self, loader: Any, number: int) -> None:
        """Before the workers of a loader are made: a table that they share with this process."""
        workers = int(loader.num_workers or 0)
        self.table = None
        if 1 < workers <= WORKERS and self.passes.get(number, 0) < PASSES:
            self.passes[number] = self.passes.get(number, 0) + 1
            self.table = mmap.mmap(-1, ROOM * workers)
            self.open.append((number, workers, self.table, not self.watch.run.evaluating))

    def begun(self, fetcher: Any) -> None:
        """In a worker: have its first two batches looked at."""
        info = get_worker_info()
        if info is None or self.table is None or guard.off:
            return
        fetch, table, before = fetcher.fetch, self.table, []

        @functools.wraps(fetch)
        def fetched(*args: Any, **kwargs: Any) -> Any:
            batch = fetch(*args, **kwargs)
            try:
                before.append(positions(fetcher.dataset))
                if len(before) == 2:
                    del fetcher.fetch
                    tell(table, info.id, *before)
            except Exception:  # noqa: BLE001 - a worker has nobody to tell, and goes on
                fetcher.__dict__.pop("fetch", None)
            return batch

        fetcher.fetch = fetched

    def write(self) -> None:
        """Put on record what all workers of a pass have told."""
        left = []
        for number, workers, table, training in self.open:
            told = [read(table[ROOM * one : ROOM * (one + 1)]) for one in range(workers)]
            known = [one for one in told if one is not None]
            if len(known) < 2:
                left.append((number, workers, table, training))
                continue
            alike = [name for name in dict.fromkeys(n for one in known for n in one) if shared(name, known)]
            self.watch.journal.write("workers", l=number, told=len(known), alike=alike)
            self.watch.run.fire("workers", alike, training)
        self.open = left


def read(text: bytes) -> dict[str, str] | None:
    """What a worker has told; None while it has not, or is about to."""
    try:
        told: dict[str, str] = json.loads(text.rstrip(b"\0"))
    except ValueError:
        return None
    return told


def shared(name: str, known: list[dict[str, str]]) -> bool:
    """Whether two workers or more stand at one place in the numbers of a generator that they draw from."""
    places = [one[name] for one in known if name in one]
    return len(set(places)) < len(places)


def tell(table: Any, worker: int, first: dict[str, Any], second: dict[str, Any]) -> None:
    """Leave where the generators stand that have moved between two batches."""
    moved = {name: place for name, place in second.items() if first.get(name, place) != place}
    body = json.dumps(dict(list(moved.items())[:NAMED])).encode()
    if len(body) <= ROOM:
        table[ROOM * worker : ROOM * worker + len(body)] = body


def positions(dataset: Any) -> dict[str, str]:
    """Where each generator stands that a data set can draw from."""
    return {name: printed(state(one)) for name, one in {**common(), **held(dataset)}.items()}


def common() -> dict[str, Any]:
    """The generators that need not be held."""
    numpy: Any = sys.modules.get("numpy.random")
    own: Any = getattr(random, "_inst", None)
    legacy: Any = getattr(getattr(numpy, "mtrand", None), "_rand", None)
    every = dict(zip(SHARED, (torch.default_generator, own, legacy)))
    return {name: one for name, one in every.items() if one is not None}


def is_generator(value: Any) -> bool:
    """Whether a value is a random generator of torch's, Python's or numpy's."""
    numpy: Any = sys.modules.get("numpy.random")
    kinds = (torch.Generator, random.Random, *((numpy.Generator, numpy.RandomState) if numpy is not None else ()))
    return isinstance(value, kinds) and not isinstance(value, random.SystemRandom)


def held(dataset: Any) -> dict[str, Any]:
    """The generators within a data set, in what it is made of, and beside the classes and functions of the program."""
    found: dict[str, Any] = {}
    seen: set[int] = set()
    ids = {id(one) for one in common().values()}
    waiting: list[tuple[str, Any, int]] = [("", dataset, 0)]
    while waiting and len(seen) < OBJECTS:
        name, value, depth = waiting.pop(0)
        if isinstance(value, PLAIN) or id(value) in seen or depth > DEPTH:
            continue
        seen.add(id(value))
        if is_generator(value):
            if id(value) not in ids:
                found[name] = value
            continue
        for key, part in parts(value):
            if not (isinstance(part, type) or type(part).__name__ in ("module", "ndarray")):
                waiting.append((f"{name}.{key}" if name else key, part, depth + 1))
    return found


def parts(value: Any) -> list[tuple[str, Any]]:
    """What a value holds, by name."""
    if isinstance(value, dict):
        return [(str(key), one) for key, one in list(value.items())[:LONG]] if len(value) <= LONG else []
    if isinstance(value, (list, tuple)):
        return [(str(at), one) for at, one in enumerate(value)] if len(value) <= LONG else []
    if isinstance(value, functools.partial):
        return [("func", value.func), ("args", value.args), ("keywords", value.keywords)]
    if isinstance(value, MethodType):
        return [("self", value.__self__), ("func", value.__func__)]
    if isinstance(value, FunctionType):
        inside = [("closure", cell.cell_contents) for cell in (value.__closure__ or ()) if full(cell)]
        names = value.__globals__
    else:
        inside = list(getattr(value, "__dict__", {}).items())[:200]
        names = vars(sys.modules.get(type(value).__module__, object))
    return inside + [(key, one) for key, one in list(names.items())[:2000] if is_generator(one)]


def seed_here(everything: bool) -> None:
    """In a worker: seed what its data set holds, and all else if asked to, by torch's seed for the worker."""
    info: Any = get_worker_info()
    for name, one in {**(common() if everything else {}), **held(info.dataset)}.items():
        digest = hashlib.blake2b(f"{info.seed}:{name}".encode(), digest_size=4).digest()
        number = int.from_bytes(digest, "big")
        if isinstance(one, torch.Generator):
            one.manual_seed(number)
        elif hasattr(one, "bit_generator"):
            one.bit_generator.state = type(one.bit_generator)(number).state
        else:
            one.seed(number)


def full(cell: Any) -> bool:
    """Whether a cell of a closure holds something yet."""
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def state(generator: Any) -> Any:
    """The whole state of a generator."""
    if isinstance(generator, torch.Generator):
        return bytes(generator.get_state().tolist())
    if isinstance(generator, random.Random):
        return generator.getstate()
    bits = getattr(generator, "bit_generator", None)
    return bits.state if bits is not None else generator.get_state(legacy=False)


def printed(value: Any) -> str:
    """A fingerprint of a state of whatever form."""
    return hashlib.blake2b(_bytes(value), digest_size=8).hexdigest()


def _bytes(value: Any) -> bytes:
    if isinstance(value, dict):
        return b"".join(str(key).encode() + _bytes(one) for key, one in sorted(value.items()))
    return value.tobytes() if hasattr(value, "tobytes") else repr(value).encode()
