"""Leave to chance what the program itself leaves to chance.

## What changes
The generators of torch, numpy and Python begin at a number of the operating system's, and those that numpy makes
without a seed get one, too: as it is when the program is run by hand. What the program seeds is seeded as ever.

## How it is known
The generators stand elsewhere than they do under the seed of an investigation.

## What it tells
Losses that are the same to the last digit come from a program that seeds all that it draws from. If they differ, its
results vary although its seed does not.

## When it says nothing
Programs that set no seed, which promise nothing. The order of sets of text, which is the same in all runs of an
investigation.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
by_hand = False
question = "Are the results the same when only what the program seeds is seeded?"
applies = "any program"
values = {"": "all generators"}
alters = "chance"
moves = "random numbers that nobody seeds are what it is about"
# A fault of another kind says nothing of this: most programs that seed at all seed what they draw from.
backgrounds = {"": {"symptom-gone": 0.0, "better": 0.0, "same": 0.93, "worse": 0.05, "new-failure": 0.02}}


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether the program sets a seed at all: without one it promises nothing."""
    seeds = facts.get("seeds")
    return seeds is not None and any(seed.value is not None for seed in seeds.seeds)


def apply(run: Run, value: str) -> None:
    """Begin elsewhere before the program does."""
    torch = run.torch
    before = torch.random.get_rng_state()
    torch.random.default_generator.seed()
    random.seed()

    def numpy_came(numpy: Any) -> None:
        getattr(numpy.random.seed, "__wrapped__", numpy.random.seed)(None)
        fresh = getattr(numpy.random.default_rng, "__wrapped__", None)
        if fresh is not None:
            run.watch.patches.replace(numpy.random, "default_rng", fresh)

    run.when_imported("numpy", numpy_came)
    moved = not bool(torch.equal(before, torch.random.get_rng_state()))

    @run.on_stepped
    def look(optimizer: Any) -> None:
        run.applied()
        run.verified(int(moved))
