"""One rank is slow and all others wait for it.

## What happens
A hot or broken device, a slow disk or a busy neighbour holds up one rank, and every collective waits for it.

## How it is told apart
The times of the ranks: one computes or loads longer, all others wait as much longer. Hold the others up by less than
they wait: the run takes no longer. Where ranks wait for the exchange itself, or for data all alike, it does.

## How it is fixed
Look at that rank's machine: clocks and temperature of its device, its disk, its neighbours.
"""

from stetho.cause import Cause

straggler = Cause(
    id="dist/straggler",
    share=0.06,
    context={"several-ranks": (5.0, 0.05)},
    symptoms={"slow-training": 0.85, "none": 0.1},
    predicts={
        "rank-straggles": 0.95,
        "rank-comes-last": 0.95,
        "others-held-up": {"symptom-gone": 0.01, "better": 0.01, "same": 0.92, "worse": 0.04, "new-failure": 0.02},
    },
    mechanism=("rank-straggles", "rank-comes-last"),
    statement="one rank is slow and all others wait for it",
    test="hold the other ranks up by less than they wait for it: if the run gets slower, it is not this",
    fix="look at what that rank does besides, at its share of the work, and at its machine",
    control="others-held-up",
)
