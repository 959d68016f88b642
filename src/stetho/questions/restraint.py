"""What keeps the model from learning its data by heart: weight decay, dropout, augmentation.

## Why it is asked
Too little of it lets a large model overfit; too much of it keeps any model from fitting.

## How it is answered
From the optimizers as they were observed, or from the configuration.
"""

from stetho.answers import number, setting
from stetho.facts import Config, Optimizers
from stetho.question import Question, Way


def from_run(found: Optimizers, step: int | None) -> str:
    known = [one for one in found.optimizers if one.decay is not None]
    return f"weight decay {number(known[0].decay or 0)}" if known else ""


def from_settings(config: Config, step: int | None) -> str:
    parts = (
        setting(config, "weightdecay", "wd", "l2"),
        setting(config, "dropout", "dropoutrate", "hiddendropoutprob", "droppath", "droppathrate"),
        setting(config, "labelsmoothing", "labelsmoothingfactor", "smoothing"),
        setting(config, "augment", "augmentation", "mixup", "mixupalpha", "autoaugment"),
    )
    return ", ".join(filter(None, parts))


restraint = Question(
    id="restraint",
    short="regularisation",
    asks="How much weight decay, dropout and augmentation is there?",
    about=("overfitting", "loss-flat", "loss-slow"),
    ways=(
        Way(
            Config,
            from_settings,
            {
                "two of them": (
                    {"format": "yaml", "values": [{"key": "dropout", "text": "0.1"},
                                                  {"key": "optim.weight_decay", "text": "0.01"}]},
                    None,
                    "optim.weight_decay 0.01, dropout 0.1",
                ),
                "not configured": ({"format": "yaml", "values": []}, None, ""),
            },
        ),
        Way(
            Optimizers,
            from_run,
            {
                "decay": (
                    {"optimizers": [{"name": "AdamW", "where": None, "steps": 9, "decay": 0.01}]},
                    None,
                    "weight decay 0.01",
                ),
                "it has none": ({"optimizers": [{"name": "Own", "where": None, "steps": 9}]}, None, ""),
            },
        ),
    ),
    otherwise="say which of them are on, and how strong",
)  # fmt: skip
