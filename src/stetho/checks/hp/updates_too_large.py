from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import UpdateRatios


@check(
    reads=UpdateRatios,
    root="update-size",
    background=0.10,
    fires={
        "half the norm in each early step": {"steps": list(range(10)), "ratios": [0.5] * 10},
        "NaN after two steps": {"steps": [0, 1], "ratios": [0.4, "inf"]},
        "still a twentieth later on": {"steps": list(range(30)), "ratios": [0.2] * 5 + [0.06] * 25},
    },
    quiet={
        "near the usual thousandth": {"steps": list(range(10)), "ratios": [2e-3] * 10},
        "large at the very first steps only": {"steps": list(range(30)), "ratios": [0.15] * 3 + [5e-3] * 27},
    },
)
def updates_too_large(updates: UpdateRatios, *, early: float = 0.15, late: float = 0.04) -> Iterator[Finding]:
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
            f"a step changes the parameters by {first:.2g} of their norm early on, {whole:.2g} in the median"
        )
