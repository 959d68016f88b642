"""A square root, a norm or a distance is taken at zero, where its gradient is infinite.

## What happens
The value itself is zero and fine. Its gradient is one over zero; times a zero from elsewhere it is NaN, and every
parameter before it is lost. It comes with distances between equal points, norms of empty vectors, standard deviations
of constants.

## How it is told apart
The first NaN comes out of a root, in backward, and the root's input holds zeros. A small number under the root removes
it.

## How it is fixed
Add a small number under the root: `sqrt(x + eps)`.
"""

from stetho.cause import Cause

sqrt_at_zero = Cause(
    id="num/sqrt-at-zero",
    share=0.12,
    symptoms={"loss-nonfinite": 0.80, "crash": 0.17},
    predicts={
        "root-at-zero": 0.96,
        "root-floor": {"symptom-gone": 0.88, "better": 0.06, "same": 0.03, "worse": 0.01, "new-failure": 0.02},
        "lr=x0.1": {"symptom-gone": 0.25, "better": 0.10, "same": 0.60, "worse": 0.03, "new-failure": 0.02},
        "lost-rank-out": {"symptom-gone": 0.50, "better": 0.10, "same": 0.34, "worse": 0.03, "new-failure": 0.03},
    },
    mechanism=("root-at-zero",),
    statement="a square root or norm is taken at zero",
    test="put a small number under the root: if the loss is still not finite, it is not this",
    trial="root-floor",
    fix="add a small number under the root",
)
