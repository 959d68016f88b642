import math
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.evidence import Place
from stetho.facts import LabelPart, LabelParts
from stetho.files.parts import called

MOVED = {
    "file": "labels/s03.csv", "column": "gesture", "key": None, "by": "", "part": "", "inputs": "sessions/s03.npz",
    "classes": 6, "rows": 1500, "looked_at": 1358, "agreement": 0.0, "error": 0.012, "among_others": 0.97,
    "worst_other": 0.96, "own": 0.01, "own_others": 0.8, "sure": 1.0, "distance": 1.0, "spread": 1.0, "shift": 1,
    "turned": False, "first": 0, "last": 0, "moved": 0.96, "others_moved": 0.02, "won": 1098, "lost": 9,
}  # fmt: skip
IN_PLACE = {**MOVED, "agreement": 0.95, "shift": 0, "moved": 0.1, "won": 12, "lost": 1080}


@check(
    reads=LabelParts,
    root="input-label-association",
    background=0.004,
    given={"other/unlisted": 0.03},
    fires={
        "one session by one row": {"parts": [MOVED], "looked_at": 5},
        "labels that come in long runs, so that most stay right": {
            "parts": [{**MOVED, "agreement": 0.7, "moved": 0.93, "won": 330, "lost": 12}], "looked_at": 5,
        },
    },
    quiet={
        "every part in its place": {"parts": [IN_PLACE], "looked_at": 5},
        "wrong, and no better when moved": {
            "parts": [{**MOVED, "moved": 0.03, "won": 210, "lost": 190}], "looked_at": 5,
        },
        "slow labels, of which both fit": {
            "parts": [{**MOVED, "agreement": 0.90, "moved": 0.92, "won": 60, "lost": 40}], "looked_at": 5,
        },
        "labels of the next row, which all parts have": {
            "parts": [{**MOVED, "agreement": 0.75, "among_others": 0.8, "others_moved": 0.97}], "looked_at": 5,
        },
        "the other parts do not agree either": {
            "parts": [{**MOVED, "among_others": 0.2, "worst_other": 0.1, "moved": 0.2}], "looked_at": 5,
        },
    },
)  # fmt: skip
def part_labels_shifted(found: LabelParts) -> Iterator[Finding]:
    """The labels of one part of the data fit the inputs of other rows, a row or a few away.

    ## Why it matters
    The rows of that part teach what is wrong, and where they are held out, right answers are counted as wrong.

    ## False alarms
    Labels that change slowly fit their neighbours, too; then as many rows fit only as they are. What lies ahead fits
    the next row in every part.
    """
    for one in found.parts:
        if shifted(one):
            how = (
                "in the opposite order" if one.turned else f"moved {'down' if one.shift > 0 else 'up'} by {_rows(one)}"
            )
            yield Finding(
                f"{called(one)}: labels agree {one.agreement:.2f} with what the other parts say of their inputs, "
                f"{one.moved:.2f} when they are {how}{stretch_of(one)}; the other parts agree {one.among_others:.2f}",
                where=(Place(one.file, column=one.column or None, key=one.key or None),),
            )


def stretch_of(one: LabelPart) -> str:
    """The rows that are meant, in words; empty for all of them."""
    return (f" from row {one.first} on" if one.first else "") + (f" up to row {one.last - 1}" if one.last else "")


def _rows(one: LabelPart) -> str:
    return "a row" if abs(one.shift) == 1 else f"{abs(one.shift)} rows"


def shifted(one: LabelPart, *, times: float = 3.0, sigmas: float = 6.0, least: float = 0.3) -> bool:
    """Whether labels of a part fit when they are moved, as well as others do as they are."""
    if not (one.shift or one.turned) or one.among_others < least or one.worst_other < one.among_others / 2:
        return False
    gain = one.moved - one.agreement
    if gain < max(0.1, sigmas * one.error) or one.others_moved > one.among_others - gain / 3:
        return False
    clear = one.won > times * one.lost and one.won - one.lost > sigmas * math.sqrt(one.won + one.lost)
    return clear and one.moved > 0.8 * one.among_others
