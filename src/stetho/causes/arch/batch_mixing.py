"""Samples of a batch are mixed with each other inside the model.

## What happens
A view or reshape stands where a transpose was meant, a recurrent layer takes the samples for time, or a softmax runs
over the batch. Each answer is then partly about other samples; the loss stalls above what the task allows, and results
depend on who else is in the batch.

## How it is told apart
Replacing one sample changes the answers to others, in evaluation mode, and the same model called for each sample alone,
or told where its samples lie, learns. Batch normalisation, graphs and contrastive losses mix on purpose, and elsewhere.

## How it is fixed
Transpose or permute before reshaping; tell recurrent layers and attention where the batch axis is; normalise over the
features.
"""

from stetho.cause import Cause

batch_mixing = Cause(
    id="arch/batch-mixing",
    share=0.10,
    symptoms={"loss-flat": 0.35, "none": 0.42, "loss-slow": 0.10, "metric-stuck": 0.05, "loss-oscillating": 0.03},
    predicts={
        "samples-mixed": 0.93,
        "samples-alone": {"symptom-gone": 0.50, "better": 0.38, "same": 0.08, "worse": 0.02, "new-failure": 0.02},
        "batch-first": {"symptom-gone": 0.50, "better": 0.38, "same": 0.08, "worse": 0.02, "new-failure": 0.02},
        "one-batch": {"symptom-gone": 0.50, "better": 0.20, "same": 0.25, "worse": 0.03, "new-failure": 0.02},
        "lr=x10": {"symptom-gone": 0.02, "better": 0.10, "same": 0.60, "worse": 0.23, "new-failure": 0.05},
    },
    mechanism=("samples-mixed",),
    statement="samples of a batch are mixed with each other inside the model",
    test="call the model for each sample alone: if nothing improves, it is not this",
    fix="transpose before reshaping, or tell the layer where the batch axis is",
    trial="samples-alone",
    control="batch-first",
)
