from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Seeds

TORCH = {"what": "torch", "value": 0, "where": {"file": "train.py", "line": 3}, "step": 0}
LOOSE = {"what": "numpy", "value": None, "where": {"file": "data.py", "line": 12}, "step": 0}


@check(
    reads=Seeds,
    root="seeds",
    # By itself it is no fault: many programs seed only what they care about.
    background=0.05,
    fires={"a generator without a seed beside a seeded one": {"seeds": [TORCH], "calls": 1, "unseeded": [LOOSE]}},
    quiet={
        "nothing is seeded": {"seeds": [], "calls": 0, "unseeded": [LOOSE]},
        "all is seeded": {"seeds": [TORCH], "calls": 1},
        "seeded by the clock alone": {"seeds": [{**TORCH, "value": None}], "calls": 1, "unseeded": [LOOSE]},
    },
)
def left_to_chance(seeds: Seeds) -> Iterator[Finding]:
    """Some generators are seeded, and others that the program draws from are not.

    ## Why it matters
    Who sets a seed counts on getting the same results again.

    ## False alarms
    It is only asked about where somebody says that results vary: that a program leaves something to chance is no fault.
    """
    fixed = [seed for seed in seeds.seeds if seed.value is not None]
    if fixed and seeds.unseeded:
        one = next((seed for seed in seeds.unseeded if seed.where is not None), seeds.unseeded[0])
        yield Finding(
            f"{fixed[0].what} is seeded with {fixed[0].value}, and {one.what} draws from a generator without a seed",
            where=(one.where,) if one.where is not None else (),
        )
