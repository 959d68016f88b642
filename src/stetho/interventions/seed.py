"""Seed every random generator otherwise.

## What changes
Whatever seeds torch, numpy or Python's random, also below `seed_everything` and `set_seed` of the frameworks, seeds
with a number that is made of N and of the program's own: different seeds stay different, equal ones stay equal. So do
`torch.Generator`, `RandomState`, `default_rng` and `random.Random`. Generators that nobody seeds are seeded at the
start, in each rank and in each worker of a loader. A generator that only makes the data cannot be told from the others:
it draws other data then.

## How it is known
After each seeding the state of the generator is that of the new number and not that of the program's own.

## What it tells
A symptom that comes and goes with the seed is an unlucky draw, or a training at the edge of stability. One that stays
is in the program. Several seeds show how much of a difference between two runs is chance.

## When it says nothing
Numbers drawn elsewhere: numpy's bit generators made by hand, the operating system, a generator on a device, hashes.
"""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the seed?"
applies = "any program"
values = {"N": "a number; different ones give different runs"}
example = "7"
moves = "other random numbers are what it is about"


def read(value: str) -> int:
    """The number."""
    return int(value)


def derived(number: int, own: Any) -> int:
    """A seed that every generator takes, made of the number and the program's own seed."""
    own = own.hex() if isinstance(own, (bytes, bytearray)) else str(own)
    return int.from_bytes(hashlib.blake2b(f"{number}:{own}".encode(), digest_size=8).digest(), "big") % 2**31


def apply(run: Run, value: str) -> None:
    """Put another number in the place of each seed, and look at the generator afterwards."""
    number = read(value)
    _torch(run, number)
    _python(run, number)
    run.when_imported("numpy", lambda numpy: _numpy(run, number, numpy))


def _look(run: Run, state: Any, wanted: Any, own: Any) -> None:
    """The state that a seeding has left, beside those that the two numbers lead to."""
    run.applied()
    if state == wanted != own:
        run.verified()
    else:
        run.contradicted("a generator was seeded and stands elsewhere")


def _torch(run: Run, number: int) -> None:
    torch = run.torch
    made = torch.Generator

    def state(seed: int) -> list[int]:
        return list(made().manual_seed(seed).get_state().tolist())

    def manual_seed(original: Any, seed: Any, *args: Any, **kwargs: Any) -> Any:
        own = int(seed)
        result = original(derived(number, own), *args, **kwargs)
        _look(run, torch.random.get_rng_state().tolist(), state(derived(number, own)), state(own))
        return result

    def on_device(original: Any, seed: Any) -> Any:
        return original(derived(number, int(seed)))

    class Asked(type(made)):  # type: ignore[misc]
        """Generators that torch itself has made are generators, too."""

        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, made)

    class Generator(made, metaclass=Asked):  # type: ignore[misc, valid-type]
        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            generator = super().__new__(cls, *args, **kwargs)
            made.manual_seed(generator, derived(number, "unseeded"))
            return generator

        def manual_seed(self, seed: Any) -> Any:
            return super().manual_seed(derived(number, int(seed)))

    # Under this name it can be sent to other processes, whether they know of the change or not.
    Generator.__module__, Generator.__qualname__ = "torch", "Generator"
    before, begun = torch.random.get_rng_state().tolist(), derived(number, "unseeded")
    torch.manual_seed(begun)
    _look(run, torch.random.get_rng_state().tolist(), state(begun), before)
    for owner in (torch, torch.random):
        run.instead(owner, "manual_seed", manual_seed)
    for name in ("manual_seed", "manual_seed_all"):
        run.instead(torch.cuda, name, on_device)
    run.watch.patches.replace(torch, "Generator", Generator)


def _python(run: Run, number: int) -> None:
    of_one = random.Random.seed

    def state(seed: Any) -> Any:
        one = random.Random.__new__(random.Random)
        of_one(one, seed)
        return one.getstate()

    def seed(original: Any, a: Any = None, *args: Any, **kwargs: Any) -> Any:
        result = original(derived(number, a), *args, **kwargs)
        if a is not None:
            _look(run, random.getstate(), state(derived(number, a)), state(a))
        return result

    def one_seed(original: Any, self: Any, a: Any = None, *args: Any, **kwargs: Any) -> Any:
        # Without a seed it is the operating system's number, as for the names of temporary files.
        return original(self, a if a is None else derived(number, a), *args, **kwargs)

    random.seed(derived(number, "unseeded"))
    run.instead(random, "seed", seed)
    run.instead(random.Random, "seed", one_seed)


def _numpy(run: Run, number: int, numpy: Any) -> None:
    module = numpy.random
    made = module.RandomState
    count = [0]

    def new(own: Any) -> Any:
        if own is None or hasattr(own, "capsule"):
            return own
        if isinstance(own, (int, numpy.integer)):
            return derived(number, int(own))
        return [*numpy.asarray(own).reshape(-1).tolist(), derived(number, "many")]

    def state(generator: Any) -> Any:
        name, words, *rest = generator.get_state(legacy=True)
        return name, words.tolist(), rest

    def seed(original: Any, seed: Any = None) -> Any:
        wanted = derived(number, "unseeded") if seed is None else new(seed)
        result = original(wanted)
        _look(run, state(module), state(made(wanted)), state(made(seed)))
        return result

    def default_rng(original: Any, seed: Any = None) -> Any:
        if seed is None:
            count[0] += 1
            return original([derived(number, "unseeded"), count[0]])
        if isinstance(seed, module.SeedSequence):
            parts = numpy.asarray(seed.entropy if seed.entropy is not None else 0, dtype=object).reshape(-1)
            return original(module.SeedSequence([*map(int, parts), number], spawn_key=seed.spawn_key))
        return original(seed if isinstance(seed, (module.Generator, module.BitGenerator)) else new(seed))

    class Asked(type(made)):  # type: ignore[misc]
        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, made)

    class RandomState(made, metaclass=Asked):  # type: ignore[misc, valid-type]
        def __init__(self, seed: Any = None) -> None:
            super().__init__(new(seed))

        def seed(self, seed: Any = None) -> None:
            super().seed(new(seed))

    RandomState.__module__, RandomState.__qualname__ = made.__module__, made.__qualname__
    getattr(module.seed, "__wrapped__", module.seed)(derived(number, "unseeded"))
    run.instead(module, "seed", seed)
    run.instead(module, "default_rng", default_rng)
    run.watch.patches.replace(module, "RandomState", RandomState)
