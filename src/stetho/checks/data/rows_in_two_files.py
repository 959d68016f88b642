from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.evidence import Place
from stetho.facts import Modes, Overlap, SharedRows

FILE = {"file": "train.jsonl", "other": "valid.jsonl", "rows": 160, "of": 3260, "share": 0.4, "first": 12}
CALLS = [{"training": True, "grad": True, "calls": 500}, {"training": False, "grad": False, "calls": 60}]
MODES = {"uses": [], "calls": CALLS}
APART = {"evaluated": 400, "held_out": 400, "shared": 0, "trained": 3000, "known": 0.98, "expected": 0.0, "passes": 8}


@check(
    reads=(SharedRows, Modes),
    also=Overlap,
    root="held-out-overlap",
    background=0.02,
    fires={"texts of one file in the other": {"shared-rows": {"pairs": [FILE], "looked_at": 2}, "modes": MODES}},
    quiet={
        "none": {"shared-rows": {"pairs": [], "looked_at": 2}, "modes": MODES},
        "within one file": {
            "shared-rows": {"pairs": [{**FILE, "other": FILE["file"]}], "looked_at": 1}, "modes": MODES,
        },
        "a few": {"shared-rows": {"pairs": [{**FILE, "share": 0.03}], "looked_at": 2}, "modes": MODES},
        "one file is a part of the other": {
            "shared-rows": {"pairs": [{**FILE, "share": 1.0}], "looked_at": 2}, "modes": MODES,
        },
        "nothing is evaluated": {
            "shared-rows": {"pairs": [FILE], "looked_at": 2}, "modes": {"uses": [], "calls": CALLS[:1]},
        },
        "what is evaluated was seen, and was not trained on": {
            "shared-rows": {"pairs": [FILE], "looked_at": 2}, "modes": MODES, "overlap": APART,
        },
    },
)  # fmt: skip
def rows_in_two_files(
    rows: SharedRows, modes: Modes, overlap: Overlap | None, *, share: float = 0.08, whole: float = 0.98
) -> Iterator[Finding]:
    """A good part of one data file is in another one as well, and the program evaluates.

    ## Why it matters
    Where the one is trained on and the other held out, what was learned by heart is asked again.

    ## False alarms
    Shards of one set that overlap, a file that is a selection of another: without these rows results stay as they are.
    Where the samples themselves were followed into training and evaluation, they tell, and this says nothing.
    """
    if overlap is not None or not any(not one.grad and one.calls for one in modes.calls):
        return
    across = [one for one in rows.pairs if one.file != one.other and share < one.share < whole]
    if across:
        first = across[0]
        yield Finding(
            f"{first.rows} rows of {first.file} are in {first.other}, too: {first.share:.0%} of it",
            where=tuple(Place(one.file, sample=str(one.first)) for one in across[:3]),
        )
