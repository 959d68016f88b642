"""Results differ between runs of one seed, because something that is drawn from is not seeded.

## What happens
Two runs of the same program with the same seed end differently. A generator is made without a seed or with the time of
day, or one library's is seeded and another one's is used.

## How it is told apart
A generator that the program draws from has no seed beside others that have one, and with nothing seeded but what the
program seeds itself, the losses are others. A program that seeds nothing at all promises nothing, and is left alone.

## How it is fixed
Seed every generator from one number: torch, numpy, Python's random, those that are made for one purpose, and the
workers of loaders. On accelerators, ask for deterministic algorithms.
"""

from stetho.cause import Cause

nondeterminism = Cause(
    id="train/nondeterminism",
    share=0.02,
    subtle=True,
    symptoms={"none": 0.93, "metric-stuck": 0.01},
    predicts={
        "left-to-chance": 0.90,
        "own-seeds": {"symptom-gone": 0.0, "better": 0.0, "same": 0.03, "worse": 0.95, "new-failure": 0.02},
    },
    mechanism=("left-to-chance",),
    statement="results differ between runs of one seed: something that is drawn from is not seeded",
    test="run it with nothing seeded but what it seeds itself: if the losses are the same, it is not this",
    fix="seed every generator from one number, those that are made for one purpose and loader workers included",
    control="own-seeds",
    otherwise={"symptom-gone": 0.01, "better": 0.02, "same": 0.67, "worse": 0.26, "new-failure": 0.04},
)
