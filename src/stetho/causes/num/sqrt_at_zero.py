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
    share=0.06,
    symptoms={"loss-nonfinite": 0.80, "crash": 0.17},
    predicts={"root-at-zero": 0.96},
    mechanism=("root-at-zero",),
    statement="a square root or norm is taken at zero",
    test="put a small number under the root: if the loss is still not finite, it is not this",
    fix="add a small number under the root",
)
