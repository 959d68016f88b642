"""Every rank trains on the same samples.

## What happens
The data was to be shared out, and is not: a sampler is missing, or a rank is read from where there is none. All ranks
compute the same gradient, and where each was to have its own part, most of the data is never seen.

## How it is told apart
Fingerprints of what enters the model are the same on all ranks in every step.

## How it is fixed
A DistributedSampler, or a share that is cut by the rank that this launcher sets (`RANK`, or `dist.get_rank()`).
"""

from stetho.cause import Cause

same_data = Cause(
    id="dist/same-data",
    share=0.35,
    context={"several-ranks": (20.0, 0.05)},
    symptoms={
        "none": 0.62, "overfitting": 0.12, "metric-stuck": 0.06, "slow-training": 0.04, "loss-slow": 0.04,
        "loss-flat": 0.04, "loss-oscillating": 0.02,
    },
    predicts={"ranks-read-the-same": 0.96, "ranks-lose-alike": 0.93, "ranks-apart": 0.03},
    mechanism=("ranks-read-the-same",),
    statement="every rank trains on the same samples",
    test="print what each rank reads in one step: if it differs, it is not this",
    fix="share the data out by rank: a DistributedSampler, or a cut by dist.get_rank()",
    proof_by_artifact=True,
)  # fmt: skip
