"""The weight decay is too high: the weights shrink away.

## What happens
Each step pulls every weight towards zero by more than the data pulls it away. The model ends near zero, and its answers
near a constant; or it stays too small to bend to what the data asks for.

## How it is told apart
The norm of the weights falls to a small part of what it was, under an optimizer that decays them; or the decay takes
back what was learned within a few hundred steps, or pulls about as hard as the loss. Without the decay the same run
learns. Strong dropout leaves the weights where they are.

## How it is fixed
A decay ten or more times smaller; with Adam, the decoupled one of AdamW.
"""

from stetho.cause import Cause

weight_decay_too_high = Cause(
    id="hp/weight-decay-too-high",
    share=0.10,
    context={"weight-decay": (2.5, 0.05)},
    symptoms={"loss-flat": 0.40, "loss-slow": 0.03, "metric-stuck": 0.07, "none": 0.45},
    predicts={
        "weights-shrink": 0.95,
        "decay-undoes-learning": 0.95,
        "weight-decay=0": {"symptom-gone": 0.66, "better": 0.27, "same": 0.03, "worse": 0.03, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.02, "better": 0.08, "same": 0.60, "worse": 0.22, "new-failure": 0.08},
    },
    mechanism=("weights-shrink", "decay-undoes-learning"),
    statement="the weight decay is too high: the weights shrink away",
    test="switch the decay off: if nothing improves, it is not this",
    fix="use a weight decay ten or more times smaller",
    trial="weight-decay=0",
)
