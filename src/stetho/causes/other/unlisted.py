"""A fault that nothing else in the catalogue describes.

## What happens
Anything but an ordinary exception, which has a name of its own. It predicts every finding alike, and every
change as little likely to help as a change that has nothing to do with the fault.

## How it is told apart
It always competes, so that an unknown fault is not forced into a known name.

## How it is fixed
Compare with code that works.
"""

from stetho.cause import Cause

unlisted = Cause(
    id="other/unlisted",
    share=1.0,
    symptoms={
        "none": 0.12,
        "loss-flat": 0.14,
        "loss-slow": 0.08,
        "loss-oscillating": 0.04,
        "loss-diverging": 0.04,
        "loss-spike": 0.03,
        "loss-nonfinite": 0.03,
        "crash": 0.02,
        "killed": 0.03,
    },
    predicts={
        # A fault that has nothing to do with it leaves a model as good without one of its features as with it.
        "apart": {"symptom-gone": 0.01, "better": 0.03, "same": 0.88, "worse": 0.06, "new-failure": 0.02},
        "without-feature": {"symptom-gone": 0.01, "better": 0.02, "same": 0.90, "worse": 0.05, "new-failure": 0.02},
    },
    mechanism=(),
    statement="a fault that nothing in the catalogue describes",
    test="find a listed cause that passes the claim gate",
    fix="compare with code that works",
)  # fmt: skip
