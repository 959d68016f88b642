from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.formats.columns import Columns
from stetho.formats.separated import Layout, layout_of, read
from stetho.packed import cut_off
from stetho.reader import Example, Flaw, Piece, reader

SPARSE = "epoch,step,train_loss,val_loss\n0,49,0.5,\n0,99,nan,\n0,99,,0.75\n"
SEMICOLONS = "Step;Wall time;Value\n1;10.5;2.0\n2;11.5;1.0\n"
MONITOR = '#{"t_start": 1.0, "env_id": "CartPole"}\nr,l,t\n20.0,20,0.5\n21.0,21,0.75\n'

CURVES = {"train_loss": [0.5, float("nan")], "val_loss": [0.75]}


def _layout(artifact: Artifact) -> Layout | None:
    if not artifact.is_text:
        return None
    return layout_of(
        artifact.head.decode("utf-8", "replace").replace("\r\n", "\n"), len(artifact.head) == artifact.size
    )


def _sure(artifact: Artifact) -> float:
    layout = _layout(artifact)
    return 0.0 if layout is None else layout.sure


@reader(
    recognises=_sure,
    examples={
        "sparse, as Lightning writes it": Example(SPARSE, series=CURVES),
        "another separator": Example(SEMICOLONS, series={"Value": [2.0, 1.0]}),
        "a comment before the header": Example(MONITOR, series={"r": [20, 21], "l": [20, 21], "t": [0.5, 0.75]}),
        "cut off": Example(SPARSE + "1,14", series=CURVES, flaws=1),
    },
)
def separated_values(artifact: Artifact) -> Iterator[Piece]:
    """Tables with a header, as CSV loggers write them: Lightning, Keras, Stable-Baselines3, and exports.

    ## What it reads
    Every cell that is a number, under the name of its column; an empty cell is no point. Commas, semicolons, tabs and
    bars separate. Which column holds the step, the epoch and the time is told by its name. A header that comes again,
    with the same names or others, starts anew.

    ## What it leaves
    Columns of text, except a phase, which is put before the names of its row. A last row that is not whole.
    """
    layout = _layout(artifact)
    if layout is None:
        return
    columns = Columns(artifact.name)
    try:
        with artifact.opened() as handle:
            yield from read(handle, layout, columns)
            if cut := cut_off(handle):
                yield Flaw(cut)
    except OSError as error:
        yield Flaw(f"cannot be read: {error.strerror}")
    yield from columns.series()
