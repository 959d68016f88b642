import re
from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.formats.columns import Columns, is_axis
from stetho.formats.json_text import Broken, Document, document, flaw
from stetho.formats.rows import as_float, named, number_in, numbers
from stetho.reader import Example, Piece, reader

ROWS = '[{"step": 1, "loss": 0.5},\n {"step": 2, "loss": 0.25, "acc": 1}]\n'
COLUMNS = '{"loss": [0.5, 0.25, NaN], "epoch": [1, 2, 3], "name": ["a"]}'
BEGINS_WITH_ROWS = re.compile(rb'\s*\[\s*\{\s*"')
BEGINS_WITH_COLUMNS = re.compile(rb'\s*\{\s*"[^"\\]{1,200}"\s*:\s*\[\s*(?:-?[0-9]|NaN|-?Infinity|null)')


def _sure(artifact: Artifact) -> float:
    """By how it begins: an array whose first item has numbers, or an object whose first member is an array of them."""
    head = artifact.head
    if BEGINS_WITH_COLUMNS.match(head):
        return 0.6
    if not BEGINS_WITH_ROWS.match(head):
        return 0.0
    try:
        _, first = next(Document(head.decode("utf-8", "replace")).items())
    except (Broken, StopIteration):
        return 0.0
    found = numbers(first) if isinstance(first, dict) else {}
    return 0.8 if any(is_axis(name) for name in found) else 0.4 if found else 0.0


@reader(
    recognises=_sure,
    examples={
        "an array of rows": Example(ROWS, series={"loss": [0.5, 0.25], "acc": [1.0]}),
        "an object of columns": Example(COLUMNS, series={"loss": [0.5, 0.25, float("nan")]}),
        "an array that was cut off": Example(ROWS[:40], series={"loss": [0.5]}, flaws=1),
    },
)
def json_table(artifact: Artifact) -> Iterator[Piece]:
    """A table in one JSON document: an array of rows, or an object whose members are columns.

    ## What it reads
    Rows as in JSON Lines. Columns as Keras keeps its history: every array of numbers is one, and the first of equal
    length that is named for steps or epochs says where their points stand. Of a document that was cut off, the whole
    rows or columns before that.

    ## What it leaves
    Arrays within arrays, and what is beyond the first 64 MiB.
    """
    text = document(artifact)
    columns = Columns(artifact.name, unit="line")
    try:
        if text.peek() == "[":
            for begin, row in text.items():
                if isinstance(row, dict):
                    columns.row(text.line(begin), numbers(row))
        elif text.peek() == "{":
            columns.unit = "row"
            _transposed(text, columns)
    except Broken as broken:
        yield flaw(artifact, text, broken)
    yield from columns.series()


def _transposed(text: Document, columns: Columns) -> None:
    """Columns put side by side; what was gathered before a damage is kept."""
    found: dict[str, list[float | None]] = {}
    try:
        for key in text.members():
            value = text.value()
            if isinstance(value, list) and value and not isinstance(value[0], (list, dict)):
                found[named(key)] = [_number(item) for item in value]
    finally:
        for row in range(max(map(len, found.values()), default=0)):
            here = ((name, values[row]) for name, values in found.items() if row < len(values))
            columns.row(row + 1, {name: value for name, value in here if value is not None})


def _number(item: object) -> float | None:
    if isinstance(item, str):
        return number_in(item)
    return as_float(item) if isinstance(item, (int, float)) and not isinstance(item, bool) else None
