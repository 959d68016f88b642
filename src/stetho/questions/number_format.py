"""The numbers it computes in: float32, bfloat16, float16, and whether the loss is scaled.

## Why it is asked
float16 ends at 65,504 and below 6e-8, so that a loss that is well in float32 overflows or vanishes in it.

## How it is answered
From the types as they were observed, or from the configuration.
"""

from stetho.answers import OFF, amounts, setting, settings
from stetho.facts import Config, Types
from stetho.question import Question, Way


def from_types(types: Types, step: int | None) -> str:
    mixed = f", computed in {', '.join(types.autocast)}" if types.autocast else ""
    return f"parameters in {amounts(types.parameters)}{mixed}" if types.parameters else ""


def from_settings(config: Config, step: int | None) -> str:
    """What is switched on, or else the kind that is named."""
    for one in settings(config, "fp16", "bf16", "fp16enabled", "bf16enabled", "amp", "useamp", "halfprecision", "half"):
        if one.text.strip().lower() not in OFF:
            return f"{one.key} {one.text.strip()[:40]}"
    return setting(config, "precision", "mixedprecision", "dtype", "torchdtype", "computedtype", "ampdtype", "dtypestr")


number_format = Question(
    id="number-format",
    short="precision",
    asks="Which precision does it compute in, and is the loss scaled?",
    about=("loss-nonfinite", "loss-diverging", "gradients-exploding", "gradients-vanishing", "loss-flat"),
    ways=(
        Way(
            Types,
            from_types,
            {
                "mixed": (
                    {"parameters": [{"kind": "float32", "elements": 100}], "autocast": ["float16"]},
                    None,
                    "parameters in float32, computed in float16",
                ),
                "not seen": ({}, None, ""),
            },
        ),
        Way(
            Config,
            from_settings,
            {
                "switched on": (
                    {"format": "json", "values": [{"key": "fp16", "text": "False"}, {"key": "bf16", "text": "True"}]},
                    None,
                    "bf16 True",
                ),
                "named": (
                    {"format": "yaml", "values": [{"key": "trainer.precision", "text": "16-mixed"}]},
                    None,
                    "trainer.precision 16-mixed",
                ),
                "not configured": ({"format": "yaml", "values": [{"key": "lr", "text": "1e-3"}]}, None, ""),
            },
        ),
    ),
    otherwise="say whether autocast, float16 or bfloat16 is on",
)
