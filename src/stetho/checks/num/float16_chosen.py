import re
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Config, LossCurve

# Keys under which people choose a number format, and what they write for float16.
KEYS = re.compile(
    r"(^|[._/-])(precision|mixed_precision|(\w+_)?dtype|amp|fp16|half|float16)([._/-]?(enabled|dtype|type))?$",
    re.IGNORECASE,
)
FLOAT16 = re.compile(
    r"^(torch\.)?(fp16|float16|half|f16|16|16-mixed|16-true|fp16[-_]mixed|mixed_float16)$", re.IGNORECASE
)
SWITCH = re.compile(r"(^|[._/-])(fp16|half|float16)([._/-]?enabled)?$", re.IGNORECASE)
LOST = {"values": [1.0, 0.9, "nan"], "nonfinite_step": 2, "logged": True}


def chosen(key: str, text: str) -> dict[str, object]:
    return {"loss-curve": LOST, "config": {"format": "yaml", "values": [{"key": key, "text": text}]}}


@check(
    reads=(Config, LossCurve),
    root="precision",
    background=0.10,
    presupposes=("loss-nonfinite", "crash", "gradients-exploding", "loss-flat", "loss-diverging"),
    given={"num/half-precision": 0.95, "num/overflow": 0.15},
    fires={
        "by name": chosen("trainer.precision", "16-mixed"),
        "by a switch": chosen("fp16", "True"),
        "DeepSpeed": chosen("fp16.enabled", "true"),
        "a type": chosen("model.torch_dtype", "torch.float16"),
    },
    quiet={
        "bfloat16": chosen("precision", "bf16-mixed"),
        "switched off": chosen("fp16", "false"),
        "another key": chosen("image_size", "16"),
        "nothing went wrong": {**chosen("fp16", "true"), "loss-curve": {"values": [1.0, 0.9, 0.8]}},
    },
)
def float16_chosen(config: Config, curve: LossCurve) -> Iterator[Finding]:
    """The settings choose float16, and the loss or its gradient is NaN or Inf.

    ## Why it matters
    float16 ends at 65504 and loses gradients below 6e-8; bfloat16 has the range of float32.

    ## False alarms
    Most runs in float16 are well: it is a suspicion until the same run is made in bfloat16 or float32.
    """
    if curve.nonfinite_step is None:
        return
    for one in config.values:
        text = one.text.strip("'\"").lower()
        on = text in ("true", "1", "yes", "on") and SWITCH.search(one.key)
        if on or (KEYS.search(one.key) and FLOAT16.match(text)):
            yield Finding(f"the run computes in float16 ({one.key}={one.text})", step=curve.nonfinite_step)
            return
