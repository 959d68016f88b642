"""It trains as it should.

## What happens
The loss comes down and nothing else stands out.

## How it is told apart
No symptom; and where something looks odd, changing it makes no difference.

## How it is fixed
Nothing to fix.
"""

from stetho.cause import Cause

healthy = Cause(
    id="none/healthy",
    share=0.80,
    symptoms={"none": 0.96, "loss-flat": 0.01, "loss-oscillating": 0.01, "loss-slow": 0.01},
    predicts={},
    mechanism=(),
    statement="it trains as it should",
    test="watch for a symptom: if one shows, it is not this",
    fix="nothing to fix",
    otherwise={"symptom-gone": 0.02, "better": 0.04, "same": 0.62, "worse": 0.28, "new-failure": 0.04},
)
