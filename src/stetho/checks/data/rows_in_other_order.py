from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.data.labels_unrelated import unrelated
from stetho.evidence import Place
from stetho.facts import Association, RowOrders

APART = {
    "pairs": [{"file": "rows.csv", "column": "id", "other": "labels.csv", "other_column": "id", "rows": 1500,
               "in_place": 0.001}],
    "looked_at": 1,
}  # fmt: skip
UNRELATED = {"samples": 1200, "agreement": 0.207, "expected": 0.207, "error": 0.006}


@check(
    reads=(RowOrders, Association),
    root="row-orders",
    background=0.004,
    fires={"labels in another order": {"row-orders": APART, "input-label-association": UNRELATED}},
    quiet={
        "joined by their names": {"row-orders": APART, "input-label-association": {**UNRELATED, "agreement": 0.6}},
        "one order": {"row-orders": {"pairs": [], "looked_at": 1}, "input-label-association": UNRELATED},
    },
)
def rows_in_other_order(orders: RowOrders, pairs: Association) -> Iterator[Finding]:
    """Two files name the same rows in different orders, and labels have nothing to do with inputs.

    ## Why it matters
    Rows that are paired by their place, and not by their name, are paired with strangers.

    ## False alarms
    A program that joins them by name gives inputs and labels that are related; then nothing is said.
    """
    if not unrelated(pairs):
        return
    for one in orders.pairs[:3]:
        yield Finding(
            f"{one.file} and {one.other} name the same {one.rows} rows ({one.column}), {one.in_place:.0%} of them at "
            "the same place, and the labels have nothing to do with the inputs",
            where=(Place(one.other, column=one.other_column), Place(one.file, column=one.column)),
        )
