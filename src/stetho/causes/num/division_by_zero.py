"""Something is divided by zero.

## What happens
x / 0 is infinite and 0 / 0 is NaN. It comes with the standard deviation of a constant feature, the mean over an empty
mask, a normalisation by a sum that is zero.

## How it is told apart
The first NaN or Inf comes out of a division whose divisor holds zeros; a small number added to the divisor removes it.

## How it is fixed
Keep the divisor from zero: `/ (x + eps)`, `clamp_min`, or leave out what is empty.
"""

from stetho.cause import Cause

division_by_zero = Cause(
    id="num/division-by-zero",
    share=0.15,
    symptoms={"loss-nonfinite": 0.80, "crash": 0.17},
    predicts={
        "divided-by-zero": 0.96,
        "divisor-floor": {"symptom-gone": 0.88, "better": 0.06, "same": 0.03, "worse": 0.01, "new-failure": 0.02},
        "lr=x0.1": {"symptom-gone": 0.25, "better": 0.10, "same": 0.60, "worse": 0.03, "new-failure": 0.02},
        "lost-rank-out": {"symptom-gone": 0.50, "better": 0.10, "same": 0.34, "worse": 0.03, "new-failure": 0.03},
    },
    mechanism=("divided-by-zero",),
    statement="something is divided by zero",
    test="keep the divisor away from zero: if the loss is still not finite, it is not this",
    trial="divisor-floor",
    fix="add a small number to the divisor, or leave out what is empty",
)
