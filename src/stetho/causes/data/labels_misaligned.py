"""Labels do not belong to their inputs.

## What happens
Inputs and labels were shuffled apart, shifted against each other, or read in different orders. The model can
learn a small batch by heart, yet nothing that holds for the next one: the loss stays at chance, or falls only as
samples are learned by heart, while held-out results stay at chance.

## How it is told apart
Nearest neighbours among the inputs do not share labels, one batch can be learned by heart, and restoring the
pairing lets the same model learn. Labels that are noise by nature look the same until the pairing is restored. Where
one file of several is shifted, the others carry the training: its labels fit what the others say of rows next to them.

## How it is fixed
Apply every shuffle, sort, shift and filter to inputs and labels together.
"""

from stetho.cause import Cause

labels_misaligned = Cause(
    id="data/labels-misaligned",
    context={"data-files": (1.2, 0.9)},
    share=0.12,
    symptoms={"loss-flat": 0.66, "none": 0.22, "overfitting": 0.04, "loss-slow": 0.03, "loss-oscillating": 0.03},
    predicts={
        "labels-unrelated": 0.93,
        "rows-in-other-order": 0.50,
        "part-labels-shifted": 0.60,
        "one-batch": {"symptom-gone": 0.85, "better": 0.10, "same": 0.03, "worse": 0.01, "new-failure": 0.01},
        "shuffled-labels": {"symptom-gone": 0.01, "better": 0.02, "same": 0.952, "worse": 0.008, "new-failure": 0.01},
        "synthetic": {"symptom-gone": 0.75, "better": 0.15, "same": 0.07, "worse": 0.02, "new-failure": 0.01},
        "lr=x10": {"symptom-gone": 0.02, "better": 0.05, "same": 0.70, "worse": 0.20, "new-failure": 0.03},
        "lr=x0.1": {"symptom-gone": 0.02, "better": 0.05, "same": 0.85, "worse": 0.07, "new-failure": 0.01},
    },
    mechanism=("rows-in-other-order", "part-labels-shifted", "labels-unrelated"),
    only_with={"labels-unrelated": ("shuffled-labels", "same")},
    statement="labels do not belong to their inputs",
    test="restore the pairing: if the loss still stays at chance, it is not this",
    fix="apply every shuffle, sort, shift and filter to inputs and labels together",
    subtle=True,
)
