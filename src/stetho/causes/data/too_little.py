"""There are far too few samples for the model.

## What happens
Training is as good as perfect, and held-out results are bad at their best point, too: of so few samples the model
learns what they have in common by chance.

## How it is told apart
The best held-out result gets clearly worse with half of the samples, so that more would make it better, and more
regularisation does not help. Where it does, the model has learned by heart what it need not have (hp/overfitting), and
where half of the samples teach as much, that may be so, too, or held-out data is another (data/distribution-shift).

## How it is fixed
More samples; until there are any, augmentation, a pretrained model, or a smaller one.
"""

from stetho.cause import Cause

too_little = Cause(
    id="data/too-little",
    share=0.03,
    symptoms={"overfitting": 0.55, "none": 0.41, "metric-stuck": 0.02},
    predicts={
        "few-samples-by-heart": 0.96,
        "training-alone-fits": 0.75,
        "half-data": {"symptom-gone": 0.01, "better": 0.02, "same": 0.12, "worse": 0.84, "new-failure": 0.01},
        "regularised": {"symptom-gone": 0.03, "better": 0.10, "same": 0.62, "worse": 0.24, "new-failure": 0.01},
    },
    mechanism=("few-samples-by-heart",),
    statement="there are too few samples to learn from",
    test="train on half of the samples: if held-out results are as good at their best, it is not this",
    fix="get more samples; until then augment, start from a pretrained model, or use a smaller one",
    control="half-data",
    unhelped_by="regularised",
)
