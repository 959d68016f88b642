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
    share=0.02,
    symptoms={"metric-stuck": 0.6, "loss-flat": 0.15, "none": 0.22},
    predicts={"one-class-answered": 0.92},
    mechanism=("one-class-answered",),
    statement="one class dominates and is the only answer",
    test="weight the classes, or draw them evenly: if the score still does not move, it is not this",
    fix="weight the loss by class or draw the classes evenly, and watch a score that counts the rare class",
)
