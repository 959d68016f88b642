"""Rewards or value targets are far outside of what the critic can follow.

## What happens
The critic's loss is in the thousands or millions; its gradients are clipped to nothing or swamp the policy's, and
what it says of a state is noise.

## How it is told apart
Rewards of many units a step, a critic that explains nothing, and a policy that does not get better.

## How it is fixed
Normalise rewards or returns to about one.
"""

from stetho.cause import Cause

reward_scale = Cause(
    id="rl/reward-scale",
    share=0.3,
    symptoms={"none": 0.7, "metric-stuck": 0.15, "loss-diverging": 0.05, "loss-nonfinite": 0.05},
    predicts={"value-targets-huge": 0.92},
    mechanism=("value-targets-huge",),
    statement="rewards are far too large for the critic",
    test="divide the rewards so that they are about one: if the critic still explains nothing, it is not this",
    fix="normalise rewards or returns to about one",
)
