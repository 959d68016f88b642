from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LearningRate, UpdateRatios

RATE = {"optimizer": "SGD", "steps": [0], "values": [5.0], "initial": 5.0}


def example(*ratios: float | str) -> dict[str, object]:
    return {"update-ratios": {"steps": list(range(len(ratios))), "ratios": list(ratios)}, "learning-rate": RATE}


@check(
    reads=(UpdateRatios, LearningRate),
    root="update-size",
    background=0.14,
    fires={
        "half the norm in each early step": example(*[0.5] * 10),
        "NaN after two steps": example(0.4, "inf"),
        "still a twentieth later on": example(*[0.2] * 5, *[0.06] * 25),
    },
    quiet={
        "near the usual thousandth": example(*[2e-3] * 10),
        "large at the very first steps only": example(*[0.15] * 3, *[5e-3] * 27),
    },
)
def updates_too_large(
    updates: UpdateRatios, rate: LearningRate, *, early: float = 0.09, late: float = 0.04
) -> Iterator[Finding]:
    """Single steps change the parameters by a large part of their norm.

    ## Why it matters
    The loss surface that the gradient describes is not the one where the step lands. About a thousandth
    of the norm per step is usual.

    ## False alarms
    Tiny models and models that start from zero move far in their first steps.
    """
    if len(updates.ratios) < 2:
        return
    first = sorted(updates.ratios[:10])[len(updates.ratios[:10]) // 2]
    whole = sorted(updates.ratios)[len(updates.ratios) // 2]
    if first > early or whole > late:
        yield Finding(
            f"a step changes the parameters by {first:.2g} of their norm early on, {whole:.2g} in the median, "
            f"at lr {rate.initial:.3g}",
            where=rate.frames or ((rate.where,) if rate.where else ()),
        )
