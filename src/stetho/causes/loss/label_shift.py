"""The targets of a model of sequences are shifted twice, or not at all.

## What happens
The data has the next tokens as targets already, and the model or the loss shifts them once more: it is asked for the
token after the next, which it can only guess. Or nobody shifts: it is asked for the token that it is given, learns to
copy it, and its loss is too good to be true.

## How it is told apart
The targets that reach the loss, laid over the tokens of the input, fit at the same position or two ahead, and not one
ahead. Asked for the next token, a model that was shifted twice learns better; one that copied finds it harder.

## How it is fixed
Shift in one place only: targets `x[:, 1:]` for inputs `x[:, :-1]`.
"""

from stetho.cause import Cause

label_shift = Cause(
    id="loss/label-shift",
    context={"token-inputs": (3.0, 0.3)},
    share=0.06,
    symptoms={
        "loss-flat": 0.16, "loss-slow": 0.06, "metric-stuck": 0.08, "overfitting": 0.04, "too-good": 0.14,
        "loss-oscillating": 0.02, "none": 0.46,
    },
    predicts={
        "targets-not-next": 0.93,
        # Answers that are right by the shifted targets are wrong by the next tokens, which a score may be about.
        "score-unlike-answers": 0.30,
        "next-token-targets": {"symptom-gone": 0.36, "better": 0.46, "same": 0.06, "worse": 0.11, "new-failure": 0.01},
    },
    mechanism=("targets-not-next",),
    statement="the targets of the sequence are shifted twice or not at all",
    test="ask for the next token: if the loss does not change, it is not this",
    fix="shift the targets by one token in one place only, in the data or in the loss",
    trial="next-token-targets",
)  # fmt: skip
