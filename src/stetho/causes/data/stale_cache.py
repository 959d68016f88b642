"""Preprocessing has changed, and a result that was kept from before is used.

## What happens
Part of the data is as the code of today makes it, part as the code of an earlier day did: features in another order, in
other units, or made by other rules. Training may go well on the one, and fails on the other.

## How it is told apart
The run reads files of a kind that it also makes, or would make if they were not there. Without the kept ones it makes
them anew, and does well. Where they are up to date, the first losses are the same without them.

## How it is fixed
Remove the kept files, and give them a name or a number that changes with the code that makes them.
"""

from stetho.cause import Cause

stale_cache = Cause(
    id="data/stale-cache",
    context={"data-files": (1.5, 0.05)},
    share=0.04,
    symptoms={
        "overfitting": 0.28, "none": 0.34, "metric-stuck": 0.14, "loss-flat": 0.08, "loss-slow": 0.05,
        "loss-oscillating": 0.03, "crash": 0.03,
    },
    predicts={"kept-results-used": 0.50, "cache-in-use": 0.85, "training-alone-fits": 0.28},
    mechanism=("kept-results-used", "cache-in-use"),
    statement="results that were kept from before are used, and do not fit the code of today",
    test="remove the kept files and let the program make them anew: if nothing changes, it is not this",
    fix="remove the kept files, so that they are made anew",
    subtle=True,
    asked=True,
)  # fmt: skip
