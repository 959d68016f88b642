from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import HandGradients

LINEAR = {
    "name": "FastLinear",
    "path": "FastLinear",
    "says": "wrong",
    "error": 1.39,
    "input": 1,
    "places": 24,
    "off": 23,
}
SCALED = {**LINEAR, "name": "Loss", "ratio": 64.0, "written": 6.4, "slope": 0.1}


@check(
    reads=HandGradients,
    root="gradients written by hand",
    background=0.01,
    fires={
        "a transposed gradient": {"functions": [{**LINEAR, "written": 9.69, "slope": -3.79}]},
        "a factor that is missing": {"functions": [SCALED]},
    },
    quiet={
        "as the forward pass has it": {"functions": [{**LINEAR, "says": "right", "error": 0.0, "off": 0}]},
        "a straight-through estimator": {"functions": [{**LINEAR, "says": "stand-in"}]},
        "a layer that turns the gradient round": {"functions": [{**LINEAR, "says": "identity"}]},
        "another result each time": {"functions": [{**LINEAR, "says": "unknown"}]},
    },
)
def gradient_not_the_slope(hand: HandGradients) -> Iterator[Finding]:
    """A gradient that is written by hand is not the slope of the function's own forward pass.

    ## Why it matters
    The optimizer follows what backward says; where that is wrong, it goes another way than down.

    ## False alarms
    Stand-ins where the output does not move, as for rounding and signs, and functions that give back their input and
    only change the gradient are meant to differ. Kinks are left out.
    """
    for one in hand.functions:
        if one.says != "wrong" or one.written is None or one.slope is None:
            continue
        factor = f", {one.ratio:.3g} times the slope everywhere" if one.ratio is not None else ""
        yield Finding(
            f"{one.name}.backward gives {one.written:.3g} where the slope is {one.slope:.3g}; it is off at "
            f"{one.off} of {one.places} places of argument {(one.input or 0) + 1}{factor}",
            where=(one.where,) if one.where is not None else (),
        )
