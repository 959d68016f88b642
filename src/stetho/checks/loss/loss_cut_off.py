from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Detached, LossCurve

MODEL = {"file": "train.py", "line": 30}
CURVE = {"values": [1.0] * 30, "where": {"file": "train.py", "line": 41}}


@check(
    reads=Detached,
    also=LossCurve,
    root="graph of the loss",
    background=0.005,
    given={"other/unlisted": 0.01},
    fires={"a loss made anew": {"detached": {"backwards": 8, "without_parameters": 8}, "loss-curve": CURVE}},
    quiet={
        "reaches the model": {"detached": {"backwards": 8, "without_parameters": 0}, "loss-curve": CURVE},
        "the model's own output has no graph": {
            "detached": {"backwards": 8, "without_parameters": 8, "outputs": [MODEL]}, "loss-curve": CURVE,
        },
        "one of several losses": {"detached": {"backwards": 8, "without_parameters": 4}, "loss-curve": CURVE},
        "hardly begun": {"detached": {"backwards": 1, "without_parameters": 1}, "loss-curve": CURVE},
    },
)  # fmt: skip
def loss_cut_off(detached: Detached, curve: LossCurve | None, *, least: int = 2) -> Iterator[Finding]:
    """Backward is called on a value that has no way back to any parameter, although the model's outputs have one.

    ## Why it matters
    No gradient reaches the model: each step changes nothing, and the loss stays where it is.

    ## False alarms
    Where the model's own output has lost its graph, the cut is inside the model, which is another fault. Adversarial
    inputs are trained by a backward of their own; only a run in which no loss reaches a parameter counts.
    """
    if detached.backwards >= least and detached.without_parameters == detached.backwards and not detached.outputs:
        yield Finding(
            f"none of {detached.backwards} losses whose graph was followed reaches a parameter",
            where=tuple(p for p in (curve.made_at, curve.where) if p is not None) if curve is not None else (),
        )
