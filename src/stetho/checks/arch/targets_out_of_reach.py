import math
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import OutputRange, OutputRanges

# What an activation can give at all, by the name of the operation.
LIMITS = {
    "sigmoid": (0.0, 1.0), "hardsigmoid": (0.0, 1.0), "softmax": (0.0, 1.0), "tanh": (-1.0, 1.0),
    "hardtanh": (-1.0, 1.0), "softsign": (-1.0, 1.0), "relu": (0.0, math.inf), "relu6": (0.0, 6.0),
    "softplus": (0.0, math.inf), "exp": (0.0, math.inf), "logsigmoid": (-math.inf, 0.0),
    "log_softmax": (-math.inf, 0.0), "gelu": (-0.17, math.inf), "silu": (-0.279, math.inf), "mish": (-0.309, math.inf),
    "hardswish": (-0.375, math.inf), "elu": (-1.0, math.inf), "celu": (-1.0, math.inf), "selu": (-1.759, math.inf),
}  # fmt: skip


def site(by: str, low: float, high: float, targets: tuple[float, float], looked: int = 20) -> dict[str, object]:
    return {
        "sites": [
            {
                "function": "mse_loss", "where": {"file": "fit.py", "line": 30}, "looked_at": looked, "produced_by": by,
                "produced_at": [{"file": "fit.py", "line": 12}], "low": low, "high": high, "target_low": targets[0],
                "target_high": targets[1],
            }
        ]
    }  # fmt: skip


@check(
    reads=OutputRanges,
    root="output-range",
    background=0.01,
    given={"other/unlisted": 0.02, "data/inputs-unnormalized": 0.02},
    fires={
        "prices behind a sigmoid": site("sigmoid", 0.2, 0.999, (12.0, 480.0)),
        "standardised targets behind a ReLU": site("relu", 0.0, 2.1, (-2.3, 2.9)),
        "standardised targets behind a GELU": site("gelu", -0.17, 2.6, (-1.5, 3.2)),
        "twice what tanh reaches": site("tanh", -0.99, 0.99, (-2.0, 2.0)),
    },
    quiet={
        "a sigmoid for shares": site("sigmoid", 0.1, 0.9, (0.0, 1.0)),
        "counts behind a ReLU": site("relu", 0.0, 30.0, (0.0, 44.0)),
        "an ELU of another alpha": site("elu", -2.0, 3.0, (-2.4, 3.0)),
        "no activation": site("linear", -1.0, 1.0, (-3.0, 3.0)),
        "a little beyond": site("tanh", -0.99, 0.99, (-1.05, 1.02)),
        "scaled after the sigmoid": site("mul", 0.0, 9.8, (-1.0, 12.0)),
        "hardly seen": site("sigmoid", 0.2, 0.9, (12.0, 480.0), looked=1),
    },
)
def targets_out_of_reach(ranges: OutputRanges, *, share: float = 0.15, least: int = 3) -> Iterator[Finding]:
    """Targets lie outside of what the last activation can give.

    ## Why it matters
    The best that the model can do for such targets is to sit at the limit, where most activations have no gradient.

    ## False alarms
    Outputs that are scaled or shifted after the activation are made by that, not by the activation. A few targets a
    little beyond the limit do no harm: a good part of their range must be out of reach.
    """
    for one in ranges.sites:
        beyond = out_of_reach(one)
        if one.looked_at >= least and beyond > share:
            low, high = LIMITS[one.produced_by.rstrip("_")]
            between = f"between {low:g} and {high:g}"
            if not math.isfinite(low + high):
                between = f"above {low:g}" if math.isfinite(low) else f"below {high:g}"
            places = (*one.produced_at[:2], *((one.where,) if one.where else ()))
            yield Finding(
                f"targets lie between {one.target_low:.3g} and {one.target_high:.3g}, and {one.produced_by} gives only "
                f"values {between}: {beyond:.0%} of the range is out of reach",
                where=tuple(dict.fromkeys(places)),
            )


def out_of_reach(one: OutputRange) -> float:
    """The part of the targets' range that the operation in front of the loss cannot give."""
    span = one.target_high - one.target_low
    limits = LIMITS.get(one.produced_by.rstrip("_"))
    if limits is None or span <= 0:
        return 0.0
    low, high = limits
    # What was seen to go beyond its limits is no such activation.
    if one.low < low - 1e-3 or one.high > high + 1e-3:
        return 0.0
    over, under = max(0.0, one.target_high - high), max(0.0, low - one.target_low)
    return min(1.0, (over + under) / span)
