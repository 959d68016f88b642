"""Raw scores go into a loss that expects probabilities or their logarithms.

## What happens
`nll_loss` only picks the value of the right class and changes its sign. Given scores that nothing normalises, it falls
without end as all scores grow; given probabilities without their logarithm, its gradients hardly depend on how wrong an
answer is.

## How it is told apart
The values that enter are above zero, where logarithms of probabilities cannot be. A wrong sign falls without end, too,
but makes the answers worse; here they may even be fair. Normalising what enters lets it learn as usual.

## How it is fixed
Put `log_softmax` before `nll_loss` and `kl_div`, or use `cross_entropy`, which does both; a sigmoid before
`binary_cross_entropy`, or the loss that takes logits.
"""

from stetho.cause import Cause

missing_activation = Cause(
    id="loss/missing-activation",
    share=0.08,
    symptoms={
        "loss-diverging": 0.40, "loss-nonfinite": 0.10, "loss-flat": 0.08, "loss-slow": 0.03, "metric-stuck": 0.03,
        "crash": 0.05, "loss-oscillating": 0.03, "none": 0.26,
    },
    predicts={
        "log-probabilities-missing": 0.93,
        "falls-without-bound": 0.10,
        "score-worsens-with-loss": 0.10,
        "fits-worse-as-it-falls": 0.05,
        "loss-input": {"symptom-gone": 0.62, "better": 0.27, "same": 0.08, "worse": 0.02, "new-failure": 0.01},
        "negated-loss": {"symptom-gone": 0.02, "better": 0.02, "same": 0.26, "worse": 0.60, "new-failure": 0.10},
        "lr=x0.1": {"symptom-gone": 0.05, "better": 0.06, "same": 0.50, "worse": 0.37, "new-failure": 0.02},
        "lr=x0.01": {"symptom-gone": 0.08, "better": 0.06, "same": 0.40, "worse": 0.44, "new-failure": 0.02},
    },
    mechanism=("log-probabilities-missing",),
    statement="raw scores go into a loss that expects probabilities or their logarithms",
    test="normalise what enters the loss: if nothing improves, it is not this",
    fix="put log_softmax before nll_loss or kl_div, or use cross_entropy on the scores",
    trial="loss-input",
)  # fmt: skip
