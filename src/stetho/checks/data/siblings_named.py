from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.data.siblings_held_out import TORN, torn
from stetho.evidence import Place
from stetho.facts import GroupedRows, Siblings

ROWS = {
    "file": "scans.csv", "column": "plant", "front": False, "groups": 420, "rows": 1680, "label": "species",
    "tight": 1.0, "one_label": 1.0,
}  # fmt: skip


@check(
    reads=(Siblings, GroupedRows),
    root="near-copies-named",
    background=0.02,
    fires={
        "scans of one plant on both sides": {"siblings": TORN, "grouped-rows": ROWS},
        "a target that scans of a plant share": {"siblings": TORN, "grouped-rows": {**ROWS, "one_label": 0.97}},
    },
    quiet={
        "whole plants are held out": {"siblings": {**TORN, "with_training": 0}, "grouped-rows": ROWS},
        "no column names what is alike": {"siblings": TORN, "grouped-rows": {**ROWS, "tight": 0.3}},
        "rows of a user who decides anew each time": {"siblings": TORN, "grouped-rows": {**ROWS, "one_label": 0.7}},
        "far more groups than the column names": {"siblings": {**TORN, "groups": 800}, "grouped-rows": ROWS},
    },
)
def siblings_named(found: Siblings, rows: GroupedRows) -> Iterator[Finding]:
    """Near copies are on both sides of the split, and a column of the data says that they are of one thing.

    ## Why it matters
    The split was drawn over samples, and the thing they are of is what comes anew in use. On new ones the results are
    worse than these.

    ## False alarms
    Rows of one thing that have answers of their own: knowing the thing does not give them away, and nothing is said.
    """
    alike = 0.3 * rows.groups <= found.groups <= 1.2 * rows.groups
    if torn(found) and alike and rows.tight >= 0.9 and rows.one_label >= 0.95:
        named = f"the front of {rows.column}" if rows.front else rows.column
        yield Finding(
            f"rows of {rows.file} with the same {named} are near copies of each other, and are on both sides of the "
            f"split: {found.with_training} of {found.held_out} held-out samples have some in training",
            where=(Place(rows.file, column=rows.column),),
        )
