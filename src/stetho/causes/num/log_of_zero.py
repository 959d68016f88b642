"""A logarithm, or its gradient, is taken at zero.

## What happens
log 0 is -Inf and its gradient is infinite. It comes with probabilities that underflow, counts that become
zero, entropies of certain answers, and logs inside `torch.where`, whose unused branch still has a gradient.

## How it is told apart
The first NaN or Inf comes out of a log whose input holds zeros, and a small floor under that input removes
it. A rate that is too high can drive probabilities to zero; then the floor removes the NaN and the loss
still does not come down.

## How it is fixed
Use log_softmax or a floor (`clamp_min`, `+ eps`) under the logarithm.
"""

from stetho.cause import Cause

log_of_zero = Cause(
    id="num/log-of-zero",
    share=0.25,
    symptoms={"loss-nonfinite": 0.82, "crash": 0.15},
    predicts={
        "log-at-zero": 0.96,
        "log-floor": {"symptom-gone": 0.88, "better": 0.06, "same": 0.03, "worse": 0.01, "new-failure": 0.02},
        "lr=x0.1": {"symptom-gone": 0.25, "better": 0.10, "same": 0.60, "worse": 0.03, "new-failure": 0.02},
        "lost-rank-out": {"symptom-gone": 0.50, "better": 0.10, "same": 0.34, "worse": 0.03, "new-failure": 0.03},
    },
    mechanism=("log-at-zero",),
    statement="a logarithm is taken at zero",
    test="put a floor under the logarithm's input: if the loss is still not finite, it is not this",
    trial="log-floor",
    fix="use log_softmax, or put a small floor under the logarithm's input",
)
