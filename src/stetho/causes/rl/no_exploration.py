"""The policy's entropy collapses early, and nothing better is ever tried.

## What happens
The policy becomes sure of one action before its rewards have risen. From then on it sees nothing else, and cannot learn
that something else is better.

## How it is told apart
The entropy falls to almost nothing in the first part of the run while the rewards stay at their first level. A policy
that is sure because it is good has rewards that rose.

## How it is fixed
An entropy bonus, a smaller rate for the policy, or noise in its actions.
"""

from stetho.cause import Cause

no_exploration = Cause(
    id="rl/no-exploration",
    share=0.3,
    symptoms={"metric-stuck": 0.7, "none": 0.25},
    predicts={"entropy-gone": 0.93},
    mechanism=("entropy-gone",),
    statement="the policy stopped trying before it had found anything",
    test="add an entropy bonus: if the rewards still do not rise, it is not this",
    fix="use an entropy bonus or more noise early on, and smaller policy steps",
)
