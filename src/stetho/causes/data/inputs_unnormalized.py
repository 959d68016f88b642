"""Inputs are far from mean 0 and standard deviation 1, or their features differ wildly in scale.

## What happens
The gradients of the first layer grow with the input. Training diverges, stalls, or hears only the largest feature.

## How it is told apart
The numbers that enter the model are large, and the same run on standardised inputs learns. A smaller learning rate
often calms it, which is why a rate is not blamed before the inputs are ruled out.

## How it is fixed
Standardise the inputs with the statistics of the training set.
"""

from stetho.cause import Cause

inputs_unnormalized = Cause(
    id="data/inputs-unnormalized",
    share=0.10,
    context={"token-inputs": (0.05, 1.1)},
    symptoms={
        "loss-nonfinite": 0.12,
        "loss-diverging": 0.12,
        "loss-oscillating": 0.10,
        "loss-flat": 0.22,
        "none": 0.34,
        "loss-spike": 0.04,
        "loss-slow": 0.03,
        "crash": 0.02,
    },
    predicts={
        "input-scale-unusual": 0.98,
        "feature-drowns-others": 0.50,
        "updates-too-large": 0.35,
        "loss-run-up": 0.25,
        "standardised-inputs": {
            "symptom-gone": 0.70, "better": 0.22, "same": 0.05, "worse": 0.02, "new-failure": 0.01,
        },
        "synthetic": {"symptom-gone": 0.15, "better": 0.15, "same": 0.52, "worse": 0.12, "new-failure": 0.06},
        "clip=1": {"symptom-gone": 0.30, "better": 0.25, "same": 0.33, "worse": 0.10, "new-failure": 0.02},
        "lr=x0.1": {"symptom-gone": 0.35, "better": 0.25, "same": 0.30, "worse": 0.05, "new-failure": 0.05},
        "lr=x0.01": {"symptom-gone": 0.40, "better": 0.20, "same": 0.25, "worse": 0.10, "new-failure": 0.05},
    },
    mechanism=("input-scale-unusual", "feature-drowns-others"),
    statement="the model's inputs are far from mean 0 and standard deviation 1",
    test="standardise the inputs: if the symptom stays, it is not this",
    fix="standardise the inputs with the training set's mean and standard deviation",
    trial="standardised-inputs",
)  # fmt: skip
