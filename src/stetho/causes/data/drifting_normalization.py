"""The inputs are normalised by running statistics that follow only recent data, so that they shift under the model.

## What happens
A mean and a spread with a short memory move with every few batches. The same sample enters the model in other units
each time it comes, and what recent samples have in common, such as a season or a class, is taken away from them.
Training is unsteady, or looks well while held-out results jump about.

## How it is told apart
The program's own numbers and what enters the model differ by a shift and a scale that go on moving late in the run.
With the statistics of all samples so far, results are clearly better. Statistics that were only wrong are steady.

## How it is fixed
Take mean and spread from the training set once, or from all samples so far; give a running mean a memory that is long
beside the order of the data, and do not update it in evaluation.
"""

from stetho.cause import Cause

drifting_normalization = Cause(
    id="data/drifting-normalization",
    share=0.03,
    context={"token-inputs": (0.02, 1.1)},
    symptoms={
        "none": 0.50, "loss-oscillating": 0.08, "loss-flat": 0.14, "loss-slow": 0.04, "loss-spike": 0.06,
        "overfitting": 0.08, "metric-stuck": 0.08,
    },
    predicts={
        "input-units-wander": 0.75,
        "batches-of-one-class": 0.30,
        "evaluated-on-other-inputs": 0.25,
        "steady-units": {"symptom-gone": 0.40, "better": 0.45, "same": 0.10, "worse": 0.04, "new-failure": 0.01},
    },
    mechanism=("input-units-wander",),
    statement="inputs are normalised by statistics that follow recent data, so that they shift under the model",
    test="normalise by the statistics of all samples so far: if results stay as they are, it is not this",
    fix="take mean and spread from the whole training set, or from all samples so far, and keep them in evaluation",
    trial="steady-units",
)  # fmt: skip
