"""The score is not computed from what the loss improves.

## What happens
The loss falls as it should and the score does not follow: probabilities are rounded that are still scores, the largest
is sought along the wrong axis, labels come in another order, averages are taken of averages.

## How it is told apart
Answers were counted where they met their labels, and are right far more often than the score says. Where the same
samples are evaluated again, the model is made to give the right answers: a score that is not perfect then is not
computed from them. A model that has learned by heart is right in training only, and its score stays at guessing, not
below.

## How it is fixed
Compute the score from the same outputs in the same form that the loss has them: a sigmoid before a threshold of one
half, the class axis for argmax.
"""

from stetho.cause import Cause

metric_mismatch = Cause(
    id="loss/metric-mismatch",
    subtle=True,
    share=0.09,
    symptoms={"metric-stuck": 0.30, "overfitting": 0.22, "too-good": 0.04, "loss-slow": 0.02, "none": 0.38},
    predicts={
        "score-unlike-answers": 0.75,
        "training-alone-fits": 0.10,
        "perfect-answers": {"symptom-gone": 0.01, "better": 0.05, "same": 0.90, "worse": 0.02, "new-failure": 0.02},
    },
    control="perfect-answers",
    mechanism=("score-unlike-answers",),
    statement="the score is computed otherwise than the answers are meant",
    test="let every held-out answer be right: if the score is perfect then, it is not this",
    fix="compute the score from the outputs in the form that the loss takes them",
)
