"""What is different from the last run that worked.

## Why it is asked
Most faults are new, and the newest change is the first suspect; but nothing that a run leaves behind tells it.

## How it is answered
By a person, or by the settings in which failing runs of one folder differ from the good ones.
"""

from stetho.question import Question

what_changed = Question(
    id="what-changed",
    short="what changed",
    asks="What was changed since the last run that worked: code, data, settings, machine, versions?",
    about=(
        "loss-nonfinite", "loss-diverging", "loss-oscillating", "loss-flat", "loss-slow", "metric-stuck", "overfitting",
        "too-good", "gradients-exploding", "gradients-vanishing", "slow-training", "hang", "crash", "memory-growing",
        "results-vary", "loss-spike", "killed",
    ),
    ways=(),
    otherwise="`stetho why FOLDER` on a folder with a good run in it compares their settings",
)  # fmt: skip
