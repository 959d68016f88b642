from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.evidence import Place
from stetho.facts import LeakingColumns, SeriesWindows, TellingFeature

FEE = {"feature": 6, "features": 7, "alone": 0.91, "second": 0.04, "others": 0.12, "samples": 1500, "classes": True}
COPY = {"feature": 0, "features": 8, "alone": 0.998, "second": 0.3, "others": 0.5, "samples": 1500, "classes": False}

WINDOWS = {
    "length": 8, "trained": 900, "among_trained": 890, "held_out": 0, "among_held_out": 0, "target_at": 0, "places": 8,
}  # fmt: skip
COLUMN = {"file": "a.csv", "column": "fee", "key": None, "label": "late", "alone": 0.9, "second": 0.1}


@check(
    reads=TellingFeature,
    also=(LeakingColumns, SeriesWindows),
    root="telling-feature",
    background=0.005,
    fires={
        "booked after the fact": {"telling-feature": FEE},
        "the answer itself, in other units": {"telling-feature": COPY},
        "the others tell much, and it tells the rest": {
            "telling-feature": {**COPY, "alone": 0.991, "second": 0.34, "others": 0.65},
        },
        "known by its column": {"telling-feature": FEE, "leaking-columns": {"columns": [COLUMN]}},
    },
    quiet={
        "an easy task: the others tell it as well": {"telling-feature": {**FEE, "others": 0.97}},
        "a rule of one feature, the others are noise": {"telling-feature": {**FEE, "alone": 1.0, "others": 0.0}},
        "a strong feature": {"telling-feature": {**FEE, "alone": 0.7, "others": 0.3}},
        "yesterday's value, and that of last week": {
            "telling-feature": {**COPY, "alone": 0.988, "second": 0.967, "others": 0.974}
        },
        "one quantity that rules the physics": {"telling-feature": {**COPY, "alone": 0.966, "others": 0.007}},
        "too few samples": {"telling-feature": {**FEE, "samples": 150}},
        "a window that ends with its target": {"telling-feature": COPY, "series-windows": WINDOWS},
    },
)
def one_feature_tells_all(
    telling: TellingFeature,
    columns: LeakingColumns | None,
    windows: SeriesWindows | None,
    *,
    kinds: float = 0.85,
    numbers: float = 0.985,
    gap: float = 0.4,
    least: float = 0.05,
    times: float = 25.0,
) -> Iterator[Finding]:
    """One feature gives the label away, while all the others, from which it was to be learned, know much less.

    ## Why it matters
    What is measured before the answer rarely tells it all. What is made from the answer, or booked after it, does.

    ## False alarms
    A feature that is legitimately strong. Where the others tell nothing at all the task may be a rule of that one
    feature; where they tell as much, the task is easy. Both are left alone.
    """
    if windows is not None and windows.target_at is not None:
        # The window of a series reaches too far, which is a fault of its own.
        return
    enough = kinds if telling.classes else numbers
    # What is left open by the others is many times what this one leaves open.
    far = telling.others <= telling.alone - gap or (1 - telling.others) >= times * (1 - telling.alone)
    if telling.samples < 300 or telling.alone < enough or telling.others < least or not far:
        return
    if telling.second > telling.alone - gap:
        return
    found = columns.columns if columns is not None else ()
    named = f", as {found[0].column} in {found[0].file} does" if found else ""
    yield Finding(
        f"feature {telling.feature} of {telling.features} by itself tells {telling.alone:.0%} of what there is to know "
        f"of the label, all others together {telling.others:.0%}{named}",
        where=tuple(Place(one.file, None, one.column, one.key) for one in found),
    )
