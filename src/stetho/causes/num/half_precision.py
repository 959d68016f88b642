"""Half precision cannot hold the run's numbers: they overflow, the loss scale falls to nothing, or updates round away.

## What happens
float16 ends at 65504. Activations or scaled gradients pass it and become infinite; the scaler leaves out the step and
halves its scale, again and again, until it is at its floor and every step is left out, or NaN gets through. bfloat16
does not overflow, and has so few digits that weights which are kept in it stay as they are: each small step is rounded
away.

## How it is told apart
The loss scale falls without end, or the program says that it is at its minimum; the same run in bfloat16 or float32
trains. Weights in half precision come out of a step as they went in, and in higher precision the same run learns more.
Where the loss had been climbing before, the model diverges by itself, and float16 only ends it earlier.

## How it is fixed
bfloat16 where the device has it; else keep normalisations, softmax and the loss in float32, and unscale before
clipping. Keep the weights in float32 and compute under autocast.
"""

from stetho.cause import Cause

half_precision = Cause(
    id="num/half-precision",
    share=0.15,
    context={"half-precision": (5.0, 0.03)},
    symptoms={
        "loss-nonfinite": 0.42, "crash": 0.14, "none": 0.30, "loss-flat": 0.05, "loss-high": 0.04, "loss-slow": 0.03,
        "gradients-exploding": 0.02,
    },
    predicts={
        "scale-collapsed": 0.85,
        "half-precision-refused": 0.60,
        "float16-chosen": 0.95,
        "float16-computed": 0.95,
        "updates-rounded-away": 0.60,
        "whole-weights": {"symptom-gone": 0.50, "better": 0.20, "same": 0.27, "worse": 0.02, "new-failure": 0.01},
        "lr=x100": {"symptom-gone": 0.20, "better": 0.25, "same": 0.22, "worse": 0.18, "new-failure": 0.15},
        "one-batch": {"symptom-gone": 0.25, "better": 0.25, "same": 0.45, "worse": 0.03, "new-failure": 0.02},
        "autocast=off": {"symptom-gone": 0.68, "better": 0.20, "same": 0.09, "worse": 0.02, "new-failure": 0.01},
    },
    mechanism=(
        "scale-collapsed", "half-precision-refused", "float16-chosen", "float16-computed", "updates-rounded-away",
    ),
    statement="half precision cannot hold the run's numbers",
    test="train the same run in bfloat16 or float32: if it still fails, it is not this",
    fix="keep the weights and what overflows in float32, and compute the rest in bfloat16",
    control="whole-weights",
    trial="autocast=off",
)  # fmt: skip
