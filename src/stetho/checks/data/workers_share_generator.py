from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Loaders

LOADER = {
    "where": {"file": "data.py", "line": 12}, "samples": 4000, "batches": 63, "batch": 64, "workers": 4,
    "sampler": "RandomSampler", "shuffle": True, "drop_last": False, "iterable": False, "persistent": False,
    "generators": ["rng"], "epochs": 3, "phase": "train", "alike": ["rng"],
}  # fmt: skip


@check(
    reads=Loaders,
    root="loader-generators",
    background=0.012,
    fires={
        "four copies of one generator": {"loaders": [LOADER]},
        "one seed in every worker": {"loaders": [{**LOADER, "generators": [], "alike": ["numpy.random"]}]},
    },
    quiet={
        "no workers": {"loaders": [{**LOADER, "workers": 0, "alike": None}]},
        "one worker": {"loaders": [{**LOADER, "workers": 1, "alike": None}]},
        "no generator": {"loaders": [{**LOADER, "generators": [], "alike": []}]},
        "seeded anew in each worker, or not drawn from": {"loaders": [{**LOADER, "alike": []}]},
        "evaluation, the same each time": {"loaders": [{**LOADER, "phase": "eval"}]},
    },
)
def workers_share_generator(loaders: Loaders) -> Iterator[Finding]:
    """Several loader workers draw from copies of one random generator, and stand at the same place in its numbers.

    ## Why it matters
    Each of them draws the same numbers: samples made side by side get the same crop, noise or mask.

    ## False alarms
    Numbers that have to be the same in all of them, as where each keeps its own part of one order.
    """
    for one in loaders.loaders:
        if (one.workers or 0) > 1 and one.alike and one.phase != "eval":
            yield Finding(
                f"{one.workers} workers draw the same numbers from {', '.join(one.alike)}",
                where=(one.where,) if one.where else (),
            )
