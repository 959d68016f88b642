"""The graph is cut inside the model, so that no gradient comes to the layers before the cut.

## What happens
`detach`, `.data`, `item`, numpy or `no_grad` takes a value out of the graph. What comes after it learns, on features
that stay as random as they were made.

## How it is told apart
Parameters that an optimizer holds never get a gradient, and values that depend on them are taken out of the graph at
one line. Left in it there, they learn.

## How it is fixed
Take the cut away; where values must leave the graph, as for a log, use them for nothing else.
"""

from stetho.cause import Cause

graph_broken = Cause(
    id="train/graph-broken",
    share=0.07,
    symptoms={"loss-flat": 0.40, "loss-slow": 0.08, "none": 0.40, "metric-stuck": 0.04, "loss-oscillating": 0.02},
    predicts={
        "parameters-cut-off": 0.93,
        "updates-too-small": 0.15,
        "keep-graph": {"symptom-gone": 0.48, "better": 0.44, "same": 0.05, "worse": 0.02, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.06, "better": 0.24, "same": 0.48, "worse": 0.18, "new-failure": 0.04},
        "one-batch": {"symptom-gone": 0.28, "better": 0.32, "same": 0.36, "worse": 0.02, "new-failure": 0.02},
        "shuffled-labels": {"symptom-gone": 0.01, "better": 0.02, "same": 0.55, "worse": 0.40, "new-failure": 0.02},
    },
    mechanism=("parameters-cut-off",),
    statement="the graph is cut inside the model, and the parameters before the cut get no gradient",
    test="leave the value in the graph at that line: if nothing improves, it is not this",
    fix="take the detach, .data or no_grad away",
    trial="keep-graph",
)
