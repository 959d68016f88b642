from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Fingerprints, InputScale

AGAIN = {
    "batches": 100, "samples": 12800, "distinct": 128, "same_as_before": 99, "distinct_batches": 1, "evaluated": 512,
}  # fmt: skip
SCALE = {"mean": 0.0, "std": 1.0, "low": -3.0, "high": 3.0, "where": {"file": "train.py", "line": 20}}


@check(
    reads=Fingerprints,
    also=InputScale,
    root="batches-again",
    background=0.08,
    given={"hp/overfitting": 0.10, "none/converged": 0.12, "data/inputs-destroyed": 0.35},
    fires={"every step": {"fingerprints": AGAIN, "input-scale": SCALE}},
    quiet={
        "other batches": {"fingerprints": {**AGAIN, "same_as_before": 0, "distinct_batches": 100, "distinct": 9000}},
        "two in turn": {"fingerprints": {**AGAIN, "same_as_before": 0, "distinct_batches": 2, "distinct": 256}},
        "several passes over each batch": {
            "fingerprints": {**AGAIN, "same_as_before": 75, "distinct_batches": 25, "distinct": 3200},
        },
        "nothing is held back, so that it may be meant": {"fingerprints": {**AGAIN, "evaluated": 0}},
        "few steps": {"fingerprints": {**AGAIN, "batches": 5, "same_as_before": 4}},
    },
)  # fmt: skip
def same_batch_again(prints: Fingerprints, scale: InputScale | None, *, least: int = 20) -> Iterator[Finding]:
    """Every training step is given the very same samples.

    ## Why it matters
    A batch that is drawn once and never again is learned by heart, and nothing else.

    ## False alarms
    Training on all the data at once does the same on purpose; only the source, or a run with fresh batches, tells.
    """
    if prints.batches >= least and prints.distinct_batches == 1 and prints.evaluated and prints.distinct > 2:
        yield Finding(
            f"{prints.batches} training steps looked at got the same {prints.samples // prints.batches} samples",
            where=(scale.where,) if scale is not None and scale.where else (),
        )
