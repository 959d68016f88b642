from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.evidence import Place
from stetho.facts import LostColumns, SaturatedFeatures

GAS = {"file": "data/2021.csv", "column": "no2", "key": None}
LOST = {
    "columns": [GAS], "label": "o3", "entered": 0.12, "all_tell": 0.93, "others_tell": 0.13, "features": [4],
}  # fmt: skip
FLAT = {"features": [4], "of": 7, "samples": 1200, "told": 0.12, "classes": False}


@check(
    reads=(LostColumns, SaturatedFeatures),
    root="input-information",
    background=0.005,
    fires={"clipped to the top of a range in other units": {"lost-columns": LOST, "saturated-features": FLAT}},
    quiet={
        "it differs again": {"lost-columns": LOST, "saturated-features": {**FLAT, "features": []}},
        "the file tells hardly more": {"lost-columns": {**LOST, "all_tell": 0.2}, "saturated-features": FLAT},
    },
)
def columns_lost(lost: LostColumns, flat: SaturatedFeatures, *, ahead: float = 0.15) -> Iterator[Finding]:
    """A file's columns tell much of the label, and of some of them nothing is left in what enters the model.

    ## Why it matters
    What was clipped, or divided away, on its way to the model cannot be learned from, however well the rest is trained.

    ## False alarms
    A number that is the same for all is no fault by itself: padding, a bias, a kind that does not come. It is one where
    the input has a number for each column of the file, and tells of the label what the file does without some of them.
    """
    if len(flat.features) < len(lost.features) or lost.all_tell < lost.entered + ahead or not lost.columns:
        return
    names = ", ".join(one.column for one in lost.columns)
    told = (
        f"{lost.entered:.0%} of {lost.label}, the file {lost.all_tell:.0%}, and without {names} {lost.others_tell:.0%}"
    )
    yield Finding(
        f"{len(lost.features)} of {flat.of} numbers that enter the model hardly differ between samples; what enters "
        f"tells {told}",
        where=tuple(Place(one.file, None, one.column, one.key) for one in lost.columns),
    )
