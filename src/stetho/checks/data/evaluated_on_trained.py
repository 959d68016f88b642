from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.evidence import Place
from stetho.facts import Overlap, Printed, SharedRows

PART = {
    "evaluated": 400, "held_out": 400, "shared": 260, "trained": 3000, "known": 0.98, "expected": 0.002, "passes": 8,
}  # fmt: skip
WHOLE = {**PART, "held_out": 0, "shared": 0}
SAYS = {"numbers": [{"name": "val acc", "kind": "score", "split": "validation", "values": [0.9, 0.95]}]}
TRAINING = {"numbers": [{"name": "train acc", "kind": "score", "split": "training", "values": [0.9, 0.95]}]}
FILE = {"file": "train.csv", "other": "valid.csv", "rows": 260, "of": 3260, "share": 0.65, "first": 12}


# The share of what was trained on that must be on record where training data is evaluated beside held-out data.
ON_RECORD = 0.98


@check(
    reads=Overlap,
    also=(Printed, SharedRows),
    root="held-out-overlap",
    background=0.005,
    fires={
        "two thirds of what is held out": {"overlap": PART},
        "all of it, and the program calls it validation": {"overlap": WHOLE, "printed": SAYS},
        "rows of one file in the other": {"overlap": PART, "shared-rows": {"pairs": [FILE], "looked_at": 2}},
    },
    quiet={
        "training data is evaluated beside it, and not all that was trained on is on record": {
            "overlap": {**PART, "evaluated": PART["evaluated"] + 2000, "known": 0.7}
        },
        "nothing is shared": {"overlap": {**PART, "shared": 0}},
        "training data is evaluated as such": {"overlap": WHOLE, "printed": TRAINING},
        "a smoke test on its own data, nothing said of it": {"overlap": WHOLE},
        "few possible samples: equal by chance": {"overlap": {**PART, "expected": 0.6}},
        "one or two by chance": {"overlap": {**PART, "shared": 3}},
        "evaluated data equal to training data by chance, as a whole": {
            "overlap": {**WHOLE, "expected": 0.85}, "printed": SAYS,
        },
    },
)  # fmt: skip
def evaluated_on_trained(
    overlap: Overlap, printed: Printed | None, rows: SharedRows | None, *, share: float = 0.03, least: int = 8
) -> Iterator[Finding]:
    """Samples of the held-out data were trained on, by far more than chance allows.

    ## Why it matters
    What was learned by heart is asked again, and the result says nothing of new data.

    ## False alarms
    Programs that evaluate training data on purpose: batches that are training data as a whole count only where the
    program evaluates nothing else and calls it validation. Data with few possible samples meets itself by chance. Where
    training data is evaluated, too, and not all of it is on record, what is held out cannot be told apart.
    """
    across = [one for one in rows.pairs if one.share > share] if rows is not None else []
    where = tuple(Place(one.file, sample=str(one.first)) for one in across[:3])
    if overlap.evaluated > overlap.held_out > 0 and overlap.known < ON_RECORD:
        return
    if overlap.held_out:
        part = overlap.shared / overlap.held_out
        if overlap.shared >= least and part > share + 3 * overlap.expected:
            named = f"; {across[0].rows} rows of {across[0].file} are in {across[0].other}" if across else ""
            yield Finding(
                f"{overlap.shared} of {overlap.held_out} samples that are held out were also trained on{named}", where
            )
    elif overlap.evaluated >= 30 and overlap.expected < 0.1 and overlap.known > 0.5:
        held = [n for n in printed.numbers if n.split == "validation"] if printed is not None else []
        if held:
            yield Finding(f"all {overlap.evaluated} samples behind {held[0].name} were also trained on", where)
