from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Labels, LossCurve, LossInputs

SITE = {
    "function": "mse_loss", "where": {"file": "train.py", "line": 41}, "looked_at": 12, "normalised": 0, "batch": 64,
    "shape": [64, 1], "target_shape": [64, 1], "low": -1.4, "high": 2.2,
}  # fmt: skip
BINARY = {"mean": 0.25, "std": 0.4330127, "low": 0.0, "high": 1.0}


@check(
    reads=(LossInputs, Labels, LossCurve),
    root="loss-targets",
    background=0.05,
    given={"other/unlisted": 0.05},
    fires={
        "a squared error for yes and no": {
            "loss-inputs": {"sites": [SITE]}, "labels": BINARY, "loss-curve": {"values": [0.3] * 40},
        },
    },
    quiet={
        "a number": {
            "loss-inputs": {"sites": [SITE]}, "labels": {**BINARY, "std": 0.2}, "loss-curve": {"values": [0.3] * 40},
        },
        "probabilities": {
            "loss-inputs": {"sites": [{**SITE, "low": 0.0, "high": 1.0}]}, "labels": BINARY,
            "loss-curve": {"values": [0.3] * 40},
        },
        "pictures of black and white": {
            "loss-inputs": {"sites": [{**SITE, "shape": [64, 784], "target_shape": [64, 784]}]}, "labels": BINARY,
            "loss-curve": {"values": [0.3] * 40},
        },
        "a judge of real and made up": {
            "loss-inputs": {"sites": [SITE]}, "labels": BINARY, "loss-curve": {"values": [0.3] * 40, "objectives": 2},
        },
    },
)  # fmt: skip
def labels_as_numbers(losses: LossInputs, labels: Labels, curve: LossCurve) -> Iterator[Finding]:
    """One score per sample, which can be any number, is fitted to 0 and 1 by a loss for real numbers.

    ## Why it matters
    A score far on the right side counts as an error, and a threshold at zero, as scores have it, lies at one of the two
    targets instead of between them.

    ## False alarms
    Least squares can serve to tell two classes apart when the threshold fits; so this alone is no fault.
    """
    mean, std = labels.mean, labels.std
    if mean is None or std is None or labels.low != 0 or labels.high != 1 or curve.objectives > 1:
        return
    binary = abs(std * std - mean * (1 - mean)) < 1e-3
    for site in losses.sites:
        single = site.shape is not None and site.shape[1:] in ((), (1,))
        free = site.low is not None and site.high is not None and (site.low < -0.05 or site.high > 1.05)
        if binary and single and free and site.trained and site.function in ("mse_loss", "l1_loss", "smooth_l1_loss"):
            yield Finding(
                f"{site.function} at {site.where} fits scores from {site.low:.3g} to {site.high:.3g} to 0 and 1",
                where=(site.where,) if site.where else (),
            )
