"""The accelerator waits for data.

## What happens
Reading, decoding or augmenting takes longer than the step that uses it, and every step waits.

## How it is told apart
The times that the run logs, or a look at what it waits for; the device is mostly idle.

## How it is fixed
More loader workers, work that is done once and kept, a faster disk, larger files.
"""

from stetho.cause import Cause

input_bound = Cause(
    id="env/input-bound",
    share=0.05,
    symptoms={"slow-training": 0.85, "none": 0.1},
    predicts={
        "waits-for-data": 0.95,
        "loader-waited-for": 0.96,
        "compute-only": {"symptom-gone": 0.24, "better": 0.70, "same": 0.03, "worse": 0.02, "new-failure": 0.01},
    },
    mechanism=("waits-for-data", "loader-waited-for"),
    statement="the run waits for its data",
    test="train on one batch that is kept: if steps do not get faster, it is not this",
    trial="compute-only",
    fix="use more loader workers, do less per sample, or put the data on a faster disk",
)
