"""The last activation cannot reach the targets.

## What happens
A sigmoid ends at 1, a tanh at -1 and 1, a ReLU at 0. Where targets lie beyond, the output runs to the limit, the
gradient dies there, and the loss stops at a level that no training can undercut.

## How it is told apart
The operation that makes the predictions has limits, and a good part of the targets lies outside of them. Without the
activation the same run goes on learning. Targets in large units alone do no harm to an output without limits.

## How it is fixed
End with a linear layer, or scale the targets into what the activation can give.
"""

from stetho.cause import Cause

output_range = Cause(
    id="arch/output-range",
    share=0.12,
    context={"bounded-output": (2.0, 0.1)},
    symptoms={
        "loss-flat": 0.38,
        "none": 0.42,
        "loss-slow": 0.10,
        "loss-oscillating": 0.04,
        "metric-stuck": 0.03,
    },
    predicts={
        "targets-out-of-reach": 0.95,
        "updates-too-small": 0.30,
        "units-dead": 0.05,
        "output-unbound": {"symptom-gone": 0.55, "better": 0.40, "same": 0.03, "worse": 0.01, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.02, "better": 0.08, "same": 0.70, "worse": 0.18, "new-failure": 0.02},
        "lr=x100": {"symptom-gone": 0.02, "better": 0.08, "same": 0.65, "worse": 0.20, "new-failure": 0.05},
        "lr=x0.1": {"symptom-gone": 0.02, "better": 0.05, "same": 0.68, "worse": 0.24, "new-failure": 0.01},
        "one-batch": {"symptom-gone": 0.05, "better": 0.15, "same": 0.75, "worse": 0.03, "new-failure": 0.02},
    },
    mechanism=("targets-out-of-reach",),
    statement="the last activation cannot reach the targets",
    test="take the last activation away: if nothing improves, it is not this",
    fix="end with a linear layer, or scale the targets into what the activation can give",
    trial="output-unbound",
)
