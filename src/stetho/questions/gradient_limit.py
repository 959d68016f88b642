"""Whether gradients are clipped, and at what norm.

## Why it is asked
Without a limit one bad batch can carry the weights away; a limit far below the usual norm throttles every step.

## How it is answered
From the clipping as it was observed, or from the configuration.
"""

from stetho.answers import number, setting
from stetho.facts import Clipping, Config
from stetho.question import Question, Way


def from_steps(clipping: Clipping, step: int | None) -> str:
    if not clipping.calls:
        return "none"
    return f"at {number(clipping.limit_last)}, passed in {clipping.fired} of {clipping.calls} steps"


def from_settings(config: Config, step: int | None) -> str:
    return setting(
        config, "maxgradnorm", "gradclip", "clipgradnorm", "gradientclipval", "clipnorm", "clipgrad", "clip",
        "gradientclipping", "gradclipnorm", "gradnormclip",
    )  # fmt: skip


gradient_limit = Question(
    id="gradient-limit",
    short="clipping",
    asks="Are gradients clipped, and at what norm?",
    about=("loss-nonfinite", "loss-diverging", "loss-spike", "gradients-exploding", "loss-slow"),
    ways=(
        Way(
            Clipping,
            from_steps,
            {
                "often": (
                    {"calls": 100, "fired": 90, "steps_in_all": 100, "limit_first": 1.0, "limit_last": 1.0},
                    None,
                    "at 1, passed in 90 of 100 steps",
                ),
                "never called": (
                    {"calls": 0, "fired": 0, "steps_in_all": 50, "limit_first": 0.0, "limit_last": 0.0},
                    None,
                    "none",
                ),
            },
        ),
        Way(
            Config,
            from_settings,
            {
                "as configured": (
                    {"format": "json", "values": [{"key": "trainer.max_grad_norm", "text": "1.0", "number": 1.0}]},
                    None,
                    "trainer.max_grad_norm 1.0",
                ),
                "not configured": ({"format": "json", "values": [{"key": "clip_model", "text": "ViT"}]}, None, ""),
            },
        ),
    ),
    otherwise="look for clip_grad_norm_ in the training loop",
)
