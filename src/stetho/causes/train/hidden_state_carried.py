"""A state or a loss carries its graph on from step to step.

## What happens
A recurrent state, a running average or a sum of losses is used again without `detach` or `item`. Backward then goes
through all earlier steps and takes longer each time, memory grows, or it stops at a graph that is gone.

## How it is told apart
Nodes behind the loss were made before the last step, and more at every step; or the graphs of all earlier steps are
still held. Detached after each step, memory and time no longer grow.

## How it is fixed
Detach the state where the next step takes it over, and keep numbers (`loss.item()`) instead of losses.
"""

from stetho.cause import Cause

hidden_state_carried = Cause(
    id="train/hidden-state-carried",
    share=0.06,
    symptoms={
        "none": 0.44, "crash": 0.26, "memory-growing": 0.08, "slow-training": 0.04, "killed": 0.03, "loss-flat": 0.02,
        "loss-slow": 0.02, "loss-oscillating": 0.01,
    },
    predicts={
        "graph-grows": 0.60,
        "graphs-held": 0.95,
        "earlier-graph-refused": 0.98,
        "exception-raised": 0.95,
        "cut-history": {"symptom-gone": 0.30, "better": 0.62, "same": 0.06, "worse": 0.01, "new-failure": 0.01},
    },
    mechanism=("graph-grows", "graphs-held", "earlier-graph-refused", "graph-refused"),
    statement="a state or a loss carries its graph on from step to step",
    test="detach after each step what has a graph: if memory or time grow all the same, it is not this",
    fix="detach the state where the next step takes it over, and keep loss.item() instead of the loss",
    trial="cut-history",
    proof_by_artifact=True,
    proofs=("earlier-graph-refused",),
)  # fmt: skip
