"""Loader workers repeat the same random augmentation.

## What happens
Each worker begins with a copy of one generator, and draws what the others draw. Samples made side by side are augmented
alike, and with workers that are made anew each epoch repeats the one before: there is less variety than it seems.

## How it is told apart
Between two batches, workers stand at the same place in the numbers of a generator that they draw from. With seeds of
their own held-out results get better.

## How it is fixed
Seed the generator in each worker (`worker_init_fn`), or draw from torch's, which differs in each of them.
"""

from stetho.cause import Cause

worker_seed_duplication = Cause(
    id="data/worker-seed-duplication",
    context={"loader-workers": (3.0, 0.02)},
    share=0.02,
    symptoms={"none": 0.75, "overfitting": 0.20},
    predicts={
        "workers-share-generator": 0.90,
        "workers-apart": {"symptom-gone": 0.35, "better": 0.42, "same": 0.16, "worse": 0.05, "new-failure": 0.02},
    },
    mechanism=("workers-share-generator",),
    statement="loader workers draw the same random numbers",
    test="seed the generators of each worker apart: if held-out results stay as they are, it is not this",
    fix="seed the data set's generator in each worker, with worker_init_fn",
    trial="workers-apart",
    subtle=True,
)
