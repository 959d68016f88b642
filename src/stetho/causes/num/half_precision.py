"""float16 cannot hold the run's numbers: activations or gradients overflow, or the loss scale falls to nothing.

## What happens
float16 ends at 65504. Activations or scaled gradients pass it and become infinite; the scaler leaves out the step and
halves its scale, again and again, until it is at its floor and every step is left out, or NaN gets through.

## How it is told apart
The loss scale falls without end, or the program says that it is at its minimum; the same run in bfloat16 or float32
trains. Where the loss had been climbing before, the model diverges by itself, and float16 only ends it earlier.

## How it is fixed
bfloat16 where the device has it; else keep normalisations, softmax and the loss in float32, and unscale before
clipping.
"""

from stetho.cause import Cause

half_precision = Cause(
    id="num/half-precision",
    share=0.15,
    context={"half-precision": (4.0, 0.03)},
    symptoms={"loss-nonfinite": 0.60, "crash": 0.25, "loss-flat": 0.05, "gradients-exploding": 0.03},
    predicts={
        "scale-collapsed": 0.85,
        "half-precision-refused": 0.60,
        "float16-chosen": 0.95,
        "float16-computed": 0.95,
        "autocast=off": {"symptom-gone": 0.68, "better": 0.20, "same": 0.09, "worse": 0.02, "new-failure": 0.01},
    },
    mechanism=("scale-collapsed", "half-precision-refused", "float16-chosen", "float16-computed"),
    statement="half precision cannot hold the run's numbers",
    test="train the same run in bfloat16 or float32: if it still fails, it is not this",
    fix="train in bfloat16, or keep what overflows in float32",
    trial="autocast=off",
)
