import math
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Fingerprints, InputScale

SCALE = {
    "mean": 0.0, "std": 0.0, "low": 0.0, "high": 0.0, "samples": 600, "shape": [50, 12],
    "where": {"file": "train.py", "line": 40},
}  # fmt: skip
SEEN = {"batches": 100, "samples": 5000, "distinct": 1, "same_as_before": 99, "distinct_batches": 1}


@check(
    reads=(InputScale, Fingerprints),
    root="input-information",
    background=0.02,
    fires={
        "all zeros": {"input-scale": SCALE, "fingerprints": SEEN},
        "one value for all, another in each batch": {
            "input-scale": {**SCALE, "std": 1e-9, "mean": 0.3, "low": 0.3, "high": 0.3},
            "fingerprints": {**SEEN, "distinct": 100},
        },
    },
    quiet={
        "ordinary": {
            "input-scale": {**SCALE, "std": 1.0, "low": -3.0, "high": 3.0},
            "fingerprints": {**SEEN, "distinct": 2000, "same_as_before": 0, "distinct_batches": 100},
        },
        "four cases of a truth table": {
            "input-scale": {**SCALE, "std": 0.5, "high": 1.0, "shape": [4, 2]},
            "fingerprints": {**SEEN, "batches": 500, "samples": 2000, "distinct": 4},
        },
        "one sample in all": {
            "input-scale": {**SCALE, "std": 0.8, "high": 1.0, "shape": [1, 64]},
            "fingerprints": {**SEEN, "samples": 100},
        },
        "the same start for every sequence": {
            "input-scale": {**SCALE, "discrete": True},
            "fingerprints": SEEN,
        },
        "a constant that a generator begins with": {
            "input-scale": {**SCALE, "shape": [50, 1]},
            "fingerprints": SEEN,
        },
    },
)  # fmt: skip
def inputs_alike(scale: InputScale, prints: Fingerprints, *, least: int = 200) -> Iterator[Finding]:
    """Every sample that enters the model is the same, though there are many of them.

    ## Why it matters
    What does not differ between samples cannot tell them apart: nothing but the labels' frequencies can be learned.

    ## False alarms
    Training on one sample on purpose, inputs of one number, and tokens are not counted.
    """
    if scale.discrete or scale.nonfinite or scale.shape is None or math.prod(scale.shape[1:]) < 4:
        return
    per_batch = prints.samples / max(1, prints.batches)
    if prints.samples < least or per_batch < 4:
        return
    size = max(1e-6, abs(scale.mean))
    flat = scale.std <= 1e-6 * size and scale.high - scale.low <= 1e-5 * size
    if prints.distinct <= 2 or flat:
        value = f", all {scale.mean:.4g}" if flat else ""
        yield Finding(
            f"{prints.samples} samples that enter the model are {prints.distinct} different ones{value}",
            where=(scale.where,) if scale.where else (),
        )
