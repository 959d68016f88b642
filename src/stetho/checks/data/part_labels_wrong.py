from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.data.part_labels_shifted import shifted
from stetho.evidence import Place
from stetho.facts import LabelPart, LabelParts
from stetho.files.parts import called

WRONG = {
    "file": "annotations/bento.csv", "column": "tag", "key": None, "by": "", "part": "", "inputs": "", "classes": 6,
    "rows": 1200, "looked_at": 1045, "agreement": 0.13, "error": 0.017, "among_others": 0.75, "worst_other": 0.72,
    "own": 0.06, "own_others": 0.66, "sure": 1.05, "distance": 0.99, "spread": 1.0, "shift": 0, "turned": False,
    "first": 0, "last": 0, "moved": 0.03, "others_moved": 0.02, "won": 144, "lost": 230,
}  # fmt: skip
NUMBERS = {**WRONG, "classes": None, "agreement": -0.6, "error": 0.06, "own": -0.1}


@check(
    reads=LabelParts,
    root="input-label-association",
    background=0.01,
    given={"other/unlisted": 0.05},
    fires={
        "one annotator of four": {"parts": [WRONG], "looked_at": 4},
        "numbers that have nothing to do with their rows": {"parts": [NUMBERS], "looked_at": 6},
    },
    quiet={
        "every part agrees": {"parts": [{**WRONG, "agreement": 0.66, "own": 0.6}], "looked_at": 4},
        "moved by a row": {
            "parts": [{**WRONG, "shift": 1, "moved": 0.74, "won": 600, "lost": 20}], "looked_at": 4,
        },
        "a site whose inputs are unlike the others'": {"parts": [{**WRONG, "distance": 1.6}], "looked_at": 4},
        "rows of which the others are not sure, either": {"parts": [{**WRONG, "sure": 0.7}], "looked_at": 4},
        "another rule, kept by all rows of the part": {"parts": [{**WRONG, "own": 0.62}], "looked_at": 4},
        "the others hardly agree, either": {
            "parts": [{**WRONG, "among_others": 0.4, "worst_other": 0.38}], "looked_at": 4,
        },
        "too few rows to tell": {"parts": [{**WRONG, "looked_at": 45, "error": 0.11}], "looked_at": 4},
        "numbers that scatter more by nature": {
            "parts": [{**NUMBERS, "spread": 1.9}], "looked_at": 6,
        },
    },
)  # fmt: skip
def part_labels_wrong(found: LabelParts) -> Iterator[Finding]:
    """The labels of one part of the data agree with nothing: not with what the others say of its inputs, nor in itself.

    ## Why it matters
    Whoever made that part made it otherwise: in haste, by a broken tool, or for other rows.

    ## False alarms
    A harder site agrees less without being wrong. Its inputs lie apart from the others', or the others are less sure of
    them: then nothing is said. Labels by another rule agree among themselves.
    """
    for one in found.parts:
        if wrong(one):
            yield Finding(
                f"{called(one)}: {one.rows} labels agree {one.agreement:.2f} with what the other parts say of their "
                f"inputs, 0 being chance, and the other parts {one.among_others:.2f} with each other",
                where=(Place(one.file, column=one.column or None, key=one.key or None),),
            )


def wrong(one: LabelPart, *, sigmas: float = 6.0, least: float = 0.55) -> bool:
    """Whether labels of a part agree with nothing, though its inputs are like those of the others."""
    if shifted(one) or one.among_others < least or one.worst_other < 0.6 * one.among_others:
        return False
    share = 0.6 if one.classes is not None else 0.3
    below = one.agreement < share * one.worst_other and one.worst_other - one.agreement > sigmas * one.error
    alike = one.distance < 1.15 and one.sure > 0.9 and one.spread < 1.5
    return below and alike and one.own_others > 0.2 and one.own < 0.6 * one.own_others
