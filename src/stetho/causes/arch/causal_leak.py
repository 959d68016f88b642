"""A model that predicts what comes next can see it.

## What happens
The causal mask is missing, turned round or one place off. In training the answer is read off the input and the loss
falls far too low; generation, where there is no future, gives nonsense.

## How it is told apart
The targets are the input one place later, and outputs change with what comes after them. With a causal mask the
training loss is higher, and honest. A tagger or a masked model may see all of a sequence.

## How it is fixed
Mask every place after the own one in attention, use a recurrent layer in one direction, pad convolutions on the left.
"""

from stetho.cause import Cause

causal_leak = Cause(
    id="arch/causal-leak",
    context={"token-inputs": (3.0, 0.4)},
    share=0.06,
    symptoms={"none": 0.74, "too-good": 0.13, "metric-stuck": 0.05, "overfitting": 0.04, "loss-flat": 0.02},
    predicts={
        "future-seen": 0.98,
        "causal-mask": {"symptom-gone": 0.10, "better": 0.08, "same": 0.05, "worse": 0.76, "new-failure": 0.01},
    },
    mechanism=("future-seen",),
    statement="the model sees what it is to predict: places see what comes after them",
    test="mask what comes later in attention: if the loss stays as it is, it is not this",
    fix="mask every place after the own one",
    control="causal-mask",
)
