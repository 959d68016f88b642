"""A fraction of the labels is wrong.

## What happens
The model learns what most labels say; the wrong ones cannot be learned but by heart. The training loss stays high, and
in time falls only as they are memorised, while held-out results get worse.

## How it is told apart
Where the held-out labels are right, held-out answers are right far more often than those of the training batches.
Neighbours share their labels less often than they should, and still more often than by chance: labels that were
shuffled apart (data/labels-misaligned) share none. A task that is noisy by nature looks the same. Where labels come in
parts, of one session or annotator each, one part agrees with nothing, and without it held-out results are better. A
simple model of the training file fits the labels of the held-out file far better than those of the file itself.

## How it is fixed
Look at the samples that the model is surest to be labelled wrongly, and label them anew; a robust loss limits the harm.
"""

from stetho.cause import Cause

labels_noisy = Cause(
    id="data/labels-noisy",
    context={"data-files": (1.2, 0.9)},
    share=0.06,
    symptoms={"none": 0.55, "overfitting": 0.20, "loss-flat": 0.10, "loss-slow": 0.05, "metric-stuck": 0.03},
    predicts={
        "held-out-easier": 0.55,
        "part-labels-wrong": 0.60,
        "training-labels-wrong": 0.60,
        "labels-unrelated": 0.08,
        "regularised": {"symptom-gone": 0.30, "better": 0.35, "same": 0.25, "worse": 0.09, "new-failure": 0.01},
        "half-data": {"symptom-gone": 0.01, "better": 0.04, "same": 0.70, "worse": 0.24, "new-failure": 0.01},
        "shuffled-labels": {"symptom-gone": 0.01, "better": 0.01, "same": 0.10, "worse": 0.86, "new-failure": 0.02},
        "one-batch": {"symptom-gone": 0.50, "better": 0.40, "same": 0.07, "worse": 0.02, "new-failure": 0.01},
        "synthetic": {"symptom-gone": 0.60, "better": 0.25, "same": 0.10, "worse": 0.04, "new-failure": 0.01},
    },
    mechanism=("part-labels-wrong", "training-labels-wrong", "held-out-easier"),
    statement="a part of the training labels is wrong",
    test="look at the samples with the largest loss: if their labels are right, it is not this",
    fix="label the doubtful samples anew, or leave them out",
    subtle=True,
)
