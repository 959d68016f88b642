from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossCurve


@check(
    reads=LossCurve,
    root="loss-curve",
    severity=90,
    fires={
        "NaN in the loss": {"values": [1.0, 0.9, "nan"], "nonfinite_step": 2, "nonfinite_in": "loss"},
        "Inf in the gradient": {"values": [1.0, 0.9, 0.8], "nonfinite_step": 1, "nonfinite_in": "gradient"},
        "NaN in what was saved": {"values": [1.0, 0.9, 0.8], "nonfinite_step": 2, "nonfinite_in": "weights"},
    },
    quiet={"finite throughout": {"values": [1.0, 0.9, 0.8]}},
)
def loss_nonfinite(curve: LossCurve) -> Iterator[Finding]:
    """The loss or its gradient becomes NaN or Inf.

    ## Why it matters
    From that step on every parameter that the gradient touches is lost; nothing learned later is real.

    ## False alarms
    A gradient scaler skips steps with infinite gradients on purpose; such steps never reach the optimizer
    and are not seen here.
    """
    if curve.nonfinite_step is not None:
        weights = curve.nonfinite_in == "weights"
        what = "the newest checkpoint's weights are" if weights else f"{curve.nonfinite_in or 'loss'} is"
        yield Finding(
            f"{what} NaN or Inf at step {curve.nonfinite_step}",
            where=(curve.where,) if curve.where else (),
            step=curve.nonfinite_step,
        )
