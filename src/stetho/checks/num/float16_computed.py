from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossCurve, Types

LOST = {"values": [1.0, 0.9, "nan"], "nonfinite_step": 2}


@check(
    reads=(Types, LossCurve),
    root="precision",
    background=0.05,
    presupposes=("loss-nonfinite",),
    given={"num/half-precision": 0.95, "num/overflow": 0.10},
    fires={
        "mixed precision": {"types": {"autocast": ["float16"]}, "loss-curve": LOST},
        "a model in float16": {"types": {"outputs": ["torch.float16"]}, "loss-curve": LOST},
    },
    quiet={
        "bfloat16": {"types": {"autocast": ["bfloat16"], "outputs": ["torch.bfloat16"]}, "loss-curve": LOST},
        "float32": {"types": {"outputs": ["torch.float32"]}, "loss-curve": LOST},
        "nothing went wrong": {"types": {"autocast": ["float16"]}, "loss-curve": {"values": [1.0, 0.9]}},
    },
)
def float16_computed(types: Types, curve: LossCurve) -> Iterator[Finding]:
    """The model computes in float16, and the loss or its gradient is NaN or Inf.

    ## Why it matters
    float16 ends at 65504 and loses gradients below 6e-8; bfloat16 has the range of float32.

    ## False alarms
    Most runs in float16 are well: the same run in float32 tells.
    """
    used = {name.removeprefix("torch.") for name in (*types.autocast, *types.outputs)}
    if curve.nonfinite_step is not None and "float16" in used:
        yield Finding("the model computes in float16", step=curve.nonfinite_step)
