"""One class dominates, and the model answers it always.

## What happens
The loss comes down to the entropy of the class frequencies and stays there. Accuracy is the share of the frequent
class, to the last digit, from the first epoch on.

## How it is told apart
The rare class is never found, or the loss is what the frequencies alone would cost. A score that is not computed from
the answers is constant, too, and its loss goes on falling.

## How it is fixed
Weight the classes or draw them evenly, and watch recall or average precision instead of accuracy.
"""

from stetho.cause import Cause

class_imbalance = Cause(
    id="data/class-imbalance",
    share=0.06,
    symptoms={"metric-stuck": 0.40, "loss-flat": 0.10, "loss-oscillating": 0.03, "none": 0.41},
    predicts={
        "one-class-answered": 0.70,
        "rare-class-missed": 0.90,
        "balanced-loss": {"symptom-gone": 0.42, "better": 0.50, "same": 0.05, "worse": 0.02, "new-failure": 0.01},
    },
    mechanism=("one-class-answered", "rare-class-missed"),
    statement="one class dominates and is the only answer",
    test="weight the classes, or draw them evenly: if the rare ones are still not found, it is not this",
    fix="weight the loss by class or draw the classes evenly, and watch a score that counts the rare class",
    trial="balanced-loss",
)
