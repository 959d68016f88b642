"""How many samples there are to learn from.

## Why it is asked
Whether a gap between training and validation wants more data or less model depends on it.

## How it is answered
From the loaders as they were observed, or from the configuration.
"""

from stetho.answers import number, setting
from stetho.facts import Config, Loaders
from stetho.question import Question, Way


def from_loaders(found: Loaders, step: int | None) -> str:
    known = [one for one in found.loaders if one.samples]
    names = {"train": "to train on", "eval": "to validate on"}
    told = [f"{number(one.samples or 0)} {names.get(one.phase or '', '')}".strip() for one in known[:3]]
    return ", ".join(dict.fromkeys(told))


def from_settings(config: Config, step: int | None) -> str:
    return setting(
        config, "numsamples", "trainsamples", "maxtrainsamples", "ntrain", "numtrain", "trainsize", "datasetsize",
        "numexamples",
    )  # fmt: skip


data_size = Question(
    id="data-size",
    short="samples",
    asks="How many samples are there to train and to validate on?",
    about=("overfitting", "metric-stuck", "too-good", "loss-slow"),
    ways=(
        Way(
            Loaders,
            from_loaders,
            {
                "two loaders": (
                    {"loaders": [
                        {"where": None, "samples": 900, "batches": 9, "batch": 100, "workers": 0, "sampler": None,
                         "shuffle": True, "drop_last": False, "iterable": False, "persistent": False,
                         "generators": [], "epochs": 1, "phase": "train"},
                        {"where": None, "samples": 100, "batches": 1, "batch": 100, "workers": 0, "sampler": None,
                         "shuffle": False, "drop_last": False, "iterable": False, "persistent": False,
                         "generators": [], "epochs": 1, "phase": "eval"},
                    ]},
                    None,
                    "900 to train on, 100 to validate on",
                ),
                "a stream": ({"loaders": []}, None, ""),
            },
        ),
        Way(
            Config,
            from_settings,
            {
                "as configured": (
                    {"format": "yaml", "values": [{"key": "data.n_train", "text": "5000", "number": 5000.0}]},
                    None,
                    "data.n_train 5000",
                ),
                "not configured": ({"format": "yaml", "values": []}, None, ""),
            },
        ),
    ),
    otherwise="say how many samples each split has",
)  # fmt: skip
