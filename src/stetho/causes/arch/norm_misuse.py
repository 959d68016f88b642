"""Normalisation over the wrong axis, or over too few values.

## What happens
What is normalised over an axis and then averaged over it is zero for every sample, as is a single value that is
normalised over itself; a length taken over the batch makes
answers depend on each other; a batch norm on two samples leaves plus and minus one. What told samples apart is gone.

## How it is told apart
Behind a normalisation all samples look the same, or it takes its numbers from two or three values, or from the samples
instead of the features. Without it, or over the features, the same run learns.

## How it is fixed
Normalise over the features, or over enough samples; group or layer normalisation for tiny batches.
"""

from stetho.cause import Cause

norm_misuse = Cause(
    id="arch/norm-misuse",
    share=0.10,
    symptoms={"loss-flat": 0.50, "none": 0.28, "loss-slow": 0.08, "loss-oscillating": 0.07, "metric-stuck": 0.04},
    predicts={
        "samples-made-alike": 0.90,
        "batch-norm-starved": 0.90,
        "norm-over-samples": 0.90,
        "norms-eased": {"symptom-gone": 0.52, "better": 0.34, "same": 0.10, "worse": 0.03, "new-failure": 0.01},
        "one-batch": {"symptom-gone": 0.05, "better": 0.15, "same": 0.75, "worse": 0.03, "new-failure": 0.02},
        "lr=x10": {"symptom-gone": 0.02, "better": 0.06, "same": 0.70, "worse": 0.18, "new-failure": 0.04},
    },
    mechanism=("samples-made-alike", "batch-norm-starved", "norm-over-samples"),
    statement="a normalisation takes away what tells the samples apart",
    test="take the normalisation away, or over the features: if nothing improves, it is not this",
    fix="normalise over the features, or over enough samples",
    trial="norms-eased",
)
