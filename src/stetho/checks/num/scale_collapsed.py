from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossScale
from stetho.logged.stability import collapse

FALLS = [2.0**i for i in range(16, -3, -1)]
LONG = {"name": "loss_scale", "steps": list(range(219)), "values": [65536.0] * 200 + FALLS}


@check(
    reads=LossScale,
    root="loss-scale",
    background=0.02,
    presupposes=("loss-nonfinite", "crash", "gradients-exploding", "loss-flat", "loss-diverging"),
    given={
        "num/half-precision": 0.85,
        "num/overflow": 0.25,
        "num/exploding-gradients": 0.30,
        "hp/lr-too-high": 0.25,
        "hp/no-warmup": 0.25,
        "data/nonfinite-values": 0.08,
        "num/log-of-zero": 0.08,
        "other/unlisted": 0.10,
    },
    fires={
        "halved down to a quarter": LONG,
        "by words only": {"name": "", "values": [2147483648.0, 1.0], "skipped": 32},
        "still falling when the log ends": {
            "name": "scale", "steps": list(range(112)), "values": [65536.0] * 100 + FALLS[:12],
        },
    },
    quiet={
        "finds its level at the start": {
            "name": "loss_scale", "steps": list(range(120)),
            "values": [2.0**i for i in range(32, 12, -1)] + [8192.0] * 100,
        },
        "halved and doubled": {
            "name": "scale", "steps": list(range(80)), "values": [65536.0, 32768.0, 32768.0, 65536.0] * 20,
        },
        "begins low and stays": {"name": "scale", "steps": list(range(40)), "values": [1.0] * 40},
        "came back": {**LONG, "steps": list(range(239)), "values": [*LONG["values"], *(2.0**i for i in range(20))]},
        "few steps left out": {"name": "", "values": [65536.0, 32768.0], "skipped": 2},
        "short, and looking for its level": {
            "name": "scale", "steps": list(range(12)), "values": [2.0**i for i in range(32, 20, -1)],
        },
    },
)  # fmt: skip
def scale_collapsed(scale: LossScale) -> Iterator[Finding]:
    """The loss scale of mixed precision is halved again and again until nothing is left of it.

    ## Why it matters
    Each halving is a step whose gradients were not finite. At a scale of one they overflow float16 by themselves, and
    no further halving can help.

    ## False alarms
    A scale that begins far too high finds its level within the first steps, and stays there: not counted.
    """
    begun = collapse(scale)
    if begun is not None:
        where = f" from step {scale.steps[begun]} to step {scale.steps[-1]}" if scale.steps else ""
        skipped = f"; {scale.skipped} lines say that a step was left out" if scale.skipped else ""
        name, highest, last = scale.name or "the loss scale", scale.values[begun], scale.values[-1]
        yield Finding(
            f"{name} falls from {highest:g} to {last:.3g}{where}{skipped}",
            step=scale.steps[begun] if scale.steps else None,
        )
