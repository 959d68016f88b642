from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.evidence import Place
from stetho.facts import NoisyLabels

NOISY = {
    "file": "train.tsv", "column": "0", "key": None, "inputs": "", "others": ["dev.tsv"], "classes": 4, "rows": 1800,
    "other_rows": 480, "agreement": 0.38, "of_others": 0.82, "error": 0.025, "sure": 0.97, "contradicted": 810,
}  # fmt: skip


@check(
    reads=NoisyLabels,
    root="labels-beside-other-files",
    background=0.01,
    fires={"two in five are wrong in training, none in the others": NOISY},
    quiet={
        "noisy by nature, in all files": {**NOISY, "of_others": 0.40},
        "models know less of what they were not fitted to": {**NOISY, "agreement": 0.82, "of_others": 0.75},
        "the others are the easy ones": {**NOISY, "sure": 0.7},
        "too few rows to tell": {**NOISY, "error": 0.09},
        "a model that tells little": {**NOISY, "agreement": 0.1, "of_others": 0.35},
    },
)
def training_labels_wrong(found: NoisyLabels) -> Iterator[Finding]:
    """What a simple model learns from a file fits the labels of other files far better than the file's own.

    ## Why it matters
    The inputs say what the labels should be, or the other labels could not be told: many of this file's are wrong.

    ## False alarms
    Held-out rows that were picked because they are easy: a model is surer of those, and then nothing is said. Where a
    task is noisy by nature, the labels of all files are.
    """
    if wrong(found):
        yield Finding(
            f"{found.file}: labels agree {found.agreement:.2f} with models fitted to its other rows, 0 being chance; "
            f"those of {', '.join(found.others)} agree {found.of_others:.2f} with a model fitted to it",
            where=(Place(found.file, column=found.column or None, key=found.key or None),),
        )


def wrong(one: NoisyLabels, *, sigmas: float = 6.0, gap: float = 0.15, least: float = 0.45) -> bool:
    """Whether the labels of the largest file are wrong, and those of the others right."""
    ahead = one.of_others - one.agreement
    return one.of_others >= least and ahead > max(gap, sigmas * one.error) and 0.88 < one.sure < 1.15
