import json
from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.formats.columns import Columns
from stetho.formats.rows import numbers
from stetho.packed import cut_off
from stetho.reader import Example, Flaw, Piece, reader

LOOKED_AT = 20
# What only a row has; settings may have `epochs` and `steps`, too.
PLACED = {"step", "_step", "global_step", "iter", "iteration", "epoch", "_timestamp", "timestamp"}
ROWS = '{"step": 1, "loss": 0.5, "eval": {"acc": 0.1}}\n{"step": 2, "loss": 0.25, "note": "x"}\n'
PHASES = '{"mode": "train", "iter": 5, "loss": 1.5}\n{"mode": "val", "iter": 5, "loss": 2.5}\n'


def _sure(artifact: Artifact) -> float:
    """By its first lines: objects with numbers in them; a single one must say where in the run it stands."""
    head = artifact.head
    if head.lstrip()[:1] != b"{" or not artifact.is_text:
        return 0.0
    whole = head.split(b"\n")[:LOOKED_AT]
    lines = [line for line in (whole[:-1] if len(whole) > 1 and len(head) < artifact.size else whole) if line.strip()]
    rows: list[dict[str, object]] = []
    for line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            rows.append(row)
    if not rows or 2 * len(rows) < len(lines):
        return 0.0
    measured = [row for row in rows if numbers(row)]
    if len(lines) == 1:
        return 0.7 if PLACED & {name.lower() for name in numbers(rows[0])} else 0.0
    return 0.9 if measured else 0.3


@reader(
    recognises=_sure,
    examples={
        "nested, and not all in every row": Example(ROWS, series={"loss": [0.5, 0.25], "eval/acc": [0.1]}),
        "rows of two phases": Example(PHASES, series={"train/loss": [1.5], "val/loss": [2.5]}),
        "not finite": Example(
            '{"step": 1, "loss": NaN}\n{"step": 2, "loss": "inf"}\n', series={"loss": [float("nan"), float("inf")]}
        ),
        "cut off": Example(ROWS + '{"step": 3, "lo', series={"loss": [0.5, 0.25], "eval/acc": [0.1]}, flaws=1),
    },
)
def json_lines(artifact: Artifact) -> Iterator[Piece]:
    """Rows of JSON, one object to a line, as loggers of many kinds write them.

    ## What it reads
    Every number, under its keys joined by slashes, and numbers that are written as text. Which key holds the step, the
    epoch and the time is told by its name. Where rows of training and of validation share their keys, `mode`, `split`
    or the like is put before the name. A row without a step has that of the row before it.

    ## What it leaves
    Texts, truth values, nulls, and lists of more than sixteen numbers. Lines that are no object are reported.
    """
    from stetho.formats.json_lines import read

    columns = Columns(artifact.name)
    try:
        with artifact.opened() as handle:
            yield from read(handle, columns)
            if cut := cut_off(handle):
                yield Flaw(cut)
    except OSError as error:
        yield Flaw(f"cannot be read: {error.strerror}")
    yield from columns.series()
