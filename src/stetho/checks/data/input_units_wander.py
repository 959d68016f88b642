from collections.abc import Iterator
from statistics import median

from stetho.check import Finding, check
from stetho.facts import InputUnits


def looks(*moved: float) -> dict[str, object]:
    return {"steps": [10 * i for i in range(len(moved))], "moved": list(moved), "features": 6}


@check(
    reads=InputUnits,
    root="input-units",
    background=0.01,
    given={"other/unlisted": 0.02},
    fires={"a mean that follows the last batches": looks(0.0, *[0.6, 0.4, 0.5] * 6)},
    quiet={
        "statistics of all samples so far": looks(0.0, *[1 / (i + 1) for i in range(1, 24)]),
        "a fixed mean and spread": looks(*[0.0] * 20),
        "a slow running mean": looks(0.0, *[0.04] * 20),
        "two looks": looks(0.0, 0.9),
    },
)
def input_units_wander(units: InputUnits, *, least: int = 8, far: float = 0.2) -> Iterator[Finding]:
    """The same sample enters the model in other units as the run goes on, and does not settle.

    ## Why it matters
    What the model has learned of a number holds for the units of that moment. A mean and a spread that follow the last
    batches also take away what these have in common, which may be what there is to learn.

    ## False alarms
    Statistics of all samples so far move at first and settle; only the later half of the run counts. A slow running
    mean of shuffled batches moves by a few hundredths of a spread.
    """
    late = units.moved[len(units.moved) // 2 :]
    if len(units.moved) >= least and median(late) > far:
        yield Finding(
            f"the same sample enters the model moved by {median(late):.2g} spreads of a feature from one look to the "
            f"next, in the later half of {len(units.moved)} looks"
        )
