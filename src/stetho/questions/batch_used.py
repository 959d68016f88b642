"""How many samples a step sees.

## Why it is asked
Noise falls with the square root of it, the rate that fits grows with it, and batch norm needs more than a few.

## How it is answered
From the loaders as they were observed, or from the configuration.
"""

from stetho.answers import setting
from stetho.facts import Config, Loaders
from stetho.question import Question, Way


def from_loaders(found: Loaders, step: int | None) -> str:
    training = [one for one in found.loaders if one.phase != "eval" and one.batch]
    return f"{training[0].batch} samples" if training else ""


def from_settings(config: Config, step: int | None) -> str:
    size = setting(
        config, "batchsize", "trainbatchsize", "perdevicetrainbatchsize", "globalbatchsize", "microbatchsize", "bs",
        "batch", "trainmicrobatchsizepergpu", "localbatchsize", "maxtokens", "samplespergpu",
    )  # fmt: skip
    several = setting(config, "gradientaccumulationsteps", "accumulategradbatches", "gradaccumsteps", "gradaccum")
    return f"{size}, {several}" if size and several else size


batch_used = Question(
    id="batch-used",
    short="batch",
    asks="How many samples does an optimizer step see?",
    about=("loss-oscillating", "loss-spike", "loss-slow", "overfitting", "slow-training", "memory-growing", "crash"),
    ways=(
        Way(
            Loaders,
            from_loaders,
            {
                "a loader": (
                    {"loaders": [{"where": None, "samples": 1000, "batches": 32, "batch": 32, "workers": 0,
                                  "sampler": None, "shuffle": True, "drop_last": False, "iterable": False,
                                  "persistent": False, "generators": [], "epochs": 1}]},
                    None,
                    "32 samples",
                ),
                "no loader": ({"loaders": []}, None, ""),
            },
        ),
        Way(
            Config,
            from_settings,
            {
                "with accumulation": (
                    {"format": "json", "values": [{"key": "per_device_train_batch_size", "text": "8"},
                                                  {"key": "gradient_accumulation_steps", "text": "4"}]},
                    None,
                    "per_device_train_batch_size 8, gradient_accumulation_steps 4",
                ),
                "not configured": ({"format": "json", "values": [{"key": "batch_sampler", "text": "x"}]}, None, ""),
            },
        ),
    ),
    otherwise="say the batch size, and how many batches a step adds up",
)  # fmt: skip
