"""The weights begin with values that cannot be trained from: all the same, all zero, or far too large or small.

## What happens
Units that begin alike get the same gradient and stay copies of each other for ever. Weights that are far too large make
the signal explode or saturate, far too small ones let it die out before it reaches the loss.

## How it is told apart
The rows of a layer are copies of each other and stay so, or the weights multiply what goes through them by far more or
less than one; and the same run learns from weights as torch's own layers make them. A rate that is wrong leaves the
first weights as they should be.

## How it is fixed
Leave the weights as the layers make them, or use an initialisation that knows the number of inputs (Kaiming, Xavier).
"""

from stetho.cause import Cause

bad_init = Cause(
    id="arch/bad-init",
    share=0.14,
    symptoms={
        "loss-flat": 0.30, "none": 0.38, "loss-slow": 0.08, "loss-nonfinite": 0.04, "loss-diverging": 0.04,
        "loss-oscillating": 0.04, "loss-spike": 0.03, "gradients-vanishing": 0.04, "gradients-exploding": 0.03,
    },
    predicts={
        "units-alike": 0.93,
        "weights-off-scale": 0.93,
        "units-dead": 0.15,
        "early-layers-starved": 0.10,
        "updates-too-small": 0.25,
        "updates-too-large": 0.15,
        "fresh-weights": {"symptom-gone": 0.60, "better": 0.30, "same": 0.07, "worse": 0.02, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.03, "better": 0.10, "same": 0.60, "worse": 0.20, "new-failure": 0.07},
        "clip=1": {"symptom-gone": 0.20, "better": 0.25, "same": 0.43, "worse": 0.10, "new-failure": 0.02},
        "lr=x0.1": {"symptom-gone": 0.05, "better": 0.10, "same": 0.65, "worse": 0.19, "new-failure": 0.01},
        "one-batch": {"symptom-gone": 0.20, "better": 0.25, "same": 0.50, "worse": 0.03, "new-failure": 0.02},
    },
    mechanism=("units-alike", "weights-off-scale"),
    statement="the weights begin with values that cannot be trained from",
    test="begin with the weights that torch's layers make: if nothing improves, it is not this",
    fix="leave the weights as the layers make them, or use an initialisation that knows the number of inputs",
    trial="fresh-weights",
)  # fmt: skip
