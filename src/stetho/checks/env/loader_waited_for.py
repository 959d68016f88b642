from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Loaders, StepTimes

WAITS = {"first": 0.2, "median": 0.05, "slowest": 0.2, "slowest_step": 3, "total": 9.0, "wait_median": 0.042,
         "wait_total": 7.4}  # fmt: skip
LOADER = {"where": {"file": "train.py", "line": 12}, "samples": 900, "batches": 30, "batch": 30, "workers": 0,
          "sampler": "RandomSampler", "shuffle": True, "drop_last": False, "iterable": False, "persistent": False,
          "generators": [], "epochs": 3, "phase": "train"}  # fmt: skip


@check(
    reads=StepTimes,
    also=Loaders,
    root="waits for data",
    background=0.01,
    given={
        "env/input-bound": 0.96,
        "env/slow-storage": 0.05,
        "none/healthy": 0.01,
        "none/slow-but-learning": 0.02,
        "other/unlisted": 0.03,
    },
    fires={
        "four fifths of the time": {"step-times": WAITS},
        "with the loader it waits for": {"step-times": WAITS, "loaders": {"loaders": [LOADER]}},
    },
    quiet={
        "a fifth of the time": {"step-times": {**WAITS, "wait_median": 0.01, "wait_total": 1.8}},
        "steps of a millisecond": {"step-times": {**WAITS, "median": 0.001, "wait_median": 0.0008}},
        "a short run": {"step-times": {**WAITS, "total": 1.2, "wait_total": 1.0}},
        "workers that take long to start": {"step-times": {**WAITS, "wait_median": 0.0004}},
        "evaluation takes the time": {"step-times": {**WAITS, "wait_total": 1.2, "validation_total": 7.0}},
        "no loader": {"step-times": {**WAITS, "wait_median": None, "wait_total": None}},
    },
)
def loader_waited_for(
    times: StepTimes, loaders: Loaders | None, *, share: float = 0.6, least: float = 2.5, each: float = 0.008
) -> Iterator[Finding]:
    """Training waits for its DataLoader most of the time.

    ## Why it matters
    Whatever computes stands idle meanwhile: less work for each sample, work done once, or more workers make the run
    that much faster.

    ## False alarms
    Small runs whose waits add up to nothing, steps of a millisecond, and workers that only take long to start.
    """
    waited, usual = times.wait_total or 0.0, times.wait_median or 0.0
    if waited < least or usual < each or waited < share * times.total or usual < 0.5 * times.median:
        return
    feeding = [one for one in loaders.loaders if one.phase == "train"] if loaders is not None else []
    workers = f", loaded by {feeding[0].workers} workers" if feeding and feeding[0].workers else ""
    yield Finding(
        f"{waited:.1f} of {times.total:.1f} s are spent waiting for the loader, {usual:.3g} s of {times.median:.3g} s "
        f"in each step{workers}",
        where=tuple(one.where for one in feeding if one.where is not None),
    )
