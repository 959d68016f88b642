from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Loaders

LOADER = {
    "where": {"file": "data.py", "line": 12}, "samples": 4000, "batches": 63, "batch": 64, "workers": 4,
    "sampler": "RandomSampler", "shuffle": True, "drop_last": False, "iterable": False, "persistent": False,
    "generators": ["rng"], "epochs": 3,
}  # fmt: skip


@check(
    reads=Loaders,
    root="loader-generators",
    background=0.03,
    fires={"four copies of one generator": {"loaders": [LOADER]}},
    quiet={
        "no workers": {"loaders": [{**LOADER, "workers": 0}]},
        "one worker": {"loaders": [{**LOADER, "workers": 1}]},
        "no generator": {"loaders": [{**LOADER, "generators": []}]},
    },
)
def workers_share_generator(loaders: Loaders) -> Iterator[Finding]:
    """Several loader workers start with copies of one random generator that the data set holds.

    ## Why it matters
    Each of them draws the same numbers: samples made side by side get the same crop, noise or mask.

    ## False alarms
    A generator that is seeded anew in each worker, or used for nothing random in a sample.
    """
    for one in loaders.loaders:
        if (one.workers or 0) > 1 and one.generators:
            yield Finding(
                f"{one.workers} workers each begin with a copy of {', '.join(one.generators)}",
                where=(one.where,) if one.where else (),
            )
