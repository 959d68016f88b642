"""An exponential, a power or a sum grows beyond what the numbers can hold.

## What happens
exp of 89 is infinite in float32. Scores, log-variances or logits pass the limit, and the next subtraction or product of
infinities is NaN.

## How it is told apart
The first Inf comes out of an exponential whose input is finite and large. Where the whole run was climbing towards it,
gradients or the rate are the reason; where float16 alone overflows, it is num/half-precision.

## How it is fixed
Bound what goes into the exponential, or use the function that subtracts the largest first (`logsumexp`, `softmax`).
"""

from stetho.cause import Cause

overflow = Cause(
    id="num/overflow",
    share=0.15,
    symptoms={"loss-nonfinite": 0.80, "crash": 0.17},
    predicts={
        "exponential-overflows": 0.96,
        "exponent-limit": {"symptom-gone": 0.88, "better": 0.06, "same": 0.03, "worse": 0.01, "new-failure": 0.02},
        "lr=x0.1": {"symptom-gone": 0.25, "better": 0.10, "same": 0.60, "worse": 0.03, "new-failure": 0.02},
        "lost-rank-out": {"symptom-gone": 0.50, "better": 0.10, "same": 0.34, "worse": 0.03, "new-failure": 0.03},
    },
    mechanism=("exponential-overflows",),
    statement="an exponential grows beyond what the numbers can hold",
    test="bound the input of the exponential: if the loss is still not finite, it is not this",
    trial="exponent-limit",
    fix="bound the exponential's input, or use logsumexp or softmax",
)
