"""Parameters that should learn are in no optimizer.

## What happens
They receive gradients and nobody applies them: part of the model keeps its random start. Typical ways: only
the head was passed on, layers kept in a plain Python list, a layer replaced after the optimizer was made, layers thawed
later that the optimizer, made of what was not frozen, never got.

## How it is told apart
Walking back from the loss reaches parameters that ask for a gradient and that no optimizer holds. Layers frozen
on purpose do not ask for one, until they are thawed; a linear probe leaves out weights that were loaded.

## How it is fixed
Give the optimizer all of them, after the model is complete.
"""

from stetho.cause import Cause

params_not_optimized = Cause(
    id="train/params-not-optimized",
    share=0.11,
    symptoms={"loss-flat": 0.40, "loss-slow": 0.06, "none": 0.48, "loss-oscillating": 0.02},
    predicts={
        "parameters-left-out": 0.97,
        "optimize-all": {
            "symptom-gone": 0.50,
            "better": 0.42,
            "same": 0.05,
            "worse": 0.02,
            "new-failure": 0.01,
        },
        # An optimizer that was made for another copy of the model holds nothing that ever gets a gradient.
        "gradients-zero": 0.25,
        "never-given-gradients": 0.25,
        "lr=x10": {"symptom-gone": 0.06, "better": 0.24, "same": 0.52, "worse": 0.15, "new-failure": 0.03},
        "lr=x100": {"symptom-gone": 0.05, "better": 0.20, "same": 0.50, "worse": 0.19, "new-failure": 0.06},
        "one-batch": {"symptom-gone": 0.15, "better": 0.30, "same": 0.49, "worse": 0.04, "new-failure": 0.02},
    },
    mechanism=("parameters-left-out",),
    statement="parameters that the loss depends on are held by no optimizer and never change",
    test="train every parameter the loss reaches: if nothing improves, it is not this",
    fix="pass all parameters to the optimizer, after the model is complete (nn.ModuleList for layers in a list)",
    trial="optimize-all",
)
