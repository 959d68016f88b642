from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import InputScale, LossInputs

SITE = {
    "function": "cross_entropy", "where": {"file": "train.py", "line": 41}, "looked_at": 12, "normalised": 0,
    "classes": 4, "batch": 64, "shape": [64, 4], "target_shape": [64], "left_out": 0, "ignored": 0.25,
}  # fmt: skip
INPUT = {"mean": 0.0, "std": 1.0, "low": -3.0, "high": 3.0, "shape": [64, 20]}


@check(
    reads=(LossInputs, InputScale),
    root="loss-targets",
    background=0.01,
    given={"other/unlisted": 0.01},
    fires={"class 0 of a sample": {"loss-inputs": {"sites": [SITE]}, "input-scale": INPUT}},
    quiet={
        "nothing is left out": {
            "loss-inputs": {"sites": [{**SITE, "left_out": None, "ignored": 0.0}]}, "input-scale": INPUT,
        },
        "padding of sequences": {
            "loss-inputs": {"sites": [{**SITE, "batch": 640, "shape": [640, 4], "target_shape": [640]}]},
            "input-scale": {**INPUT, "shape": [64, 10], "discrete": True},
        },
        "pixels without a label": {
            "loss-inputs": {"sites": [{**SITE, "shape": [64, 4, 32, 32], "target_shape": [64, 32, 32]}]},
            "input-scale": {**INPUT, "shape": [64, 3, 32, 32]},
        },
        "a class that never comes": {
            "loss-inputs": {"sites": [{**SITE, "ignored": 0.0}]}, "input-scale": INPUT,
        },
    },
)  # fmt: skip
def class_left_out(losses: LossInputs, inputs: InputScale) -> Iterator[Finding]:
    """Samples of one class are left out of the loss, although it is one of those that the model answers.

    ## Why it matters
    The model never learns that class, and gives its samples to the others.

    ## False alarms
    In sequences and pictures a number may stand for padding or "no label"; only one label for each sample counts.
    """
    for site in losses.sites:
        if not site.trained or site.left_out is None or not site.ignored or site.shape is None or inputs.shape is None:
            continue
        one_each = len(site.shape) == 2 and site.target_shape == site.shape[:1] == inputs.shape[:1]
        if one_each and not inputs.discrete and site.ignored > 0.2 / (site.classes or 1):
            yield Finding(
                f"{site.function} at {site.where} leaves out class {site.left_out} of {site.classes}, "
                f"{site.ignored:.0%} of the samples",
                where=(site.where,) if site.where else (),
            )
