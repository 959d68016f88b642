"""Loader workers repeat the same random augmentation.

## What happens
Each worker begins with a copy of one generator, and draws what the others draw. Samples made side by side are augmented
alike, and with workers that are made anew each epoch repeats the one before: there is less variety than it seems.

## How it is told apart
The data set holds a generator, and several workers load from it. Without workers the same generator goes on, and never
repeats itself.

## How it is fixed
Seed the generator in each worker (`worker_init_fn`), or draw from torch's, which differs in each of them.
"""

from stetho.cause import Cause

worker_seed_duplication = Cause(
    id="data/worker-seed-duplication",
    context={"loader-workers": (3.0, 0.02)},
    share=0.02,
    symptoms={"none": 0.75, "overfitting": 0.20},
    predicts={"workers-share-generator": 0.85},
    mechanism=("workers-share-generator",),
    statement="loader workers draw the same random numbers",
    test="load without workers: if held-out results stay as they are, it is not this",
    fix="seed the data set's generator in each worker, with worker_init_fn",
    subtle=True,
)
