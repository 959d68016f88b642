"""Files of data: which of them the run opened, and what is in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stetho.facts.fact import Fact


@dataclass(frozen=True)
class DataFile:
    """One file that the run opened, code aside."""

    file: str
    """Its path, from the working directory where it lies below that."""
    read: int | None = None
    """Its place in the order in which files were first opened for reading; None when it was not."""
    written: bool = False
    """Whether the run opened it for writing."""
    step: int = 0
    """The step before which it was first opened."""
    size: int | None = None
    """Bytes, as it lies there after the run; None when it is not there."""
    modified: float | None = None
    """When it was last changed, in seconds since 1970."""
    rows: int | None = None
    """Rows, where it is a table."""
    columns: tuple[str, ...] = ()
    """Its columns, at most sixty-four."""
    remade: bool = False
    """Whether the program's code makes it where it is not there."""


@dataclass(frozen=True)
class DataFiles(Fact):
    """The files that the run read and wrote, code and libraries aside."""

    fact: ClassVar[str] = "data-files"

    files: tuple[DataFile, ...]
    """The files, in the order of their reading; those that were only written come last."""


@dataclass(frozen=True)
class RowsAgain:
    """Rows of one file that are in another one, or in the same one, again."""

    file: str
    """The file with more rows."""
    other: str
    """The other file; the same one where rows are in it twice."""
    rows: int
    """Rows of the first file that are in the other one, or come again."""
    of: int
    """Rows of the first file."""
    share: float
    """The share of the other file's rows that this is."""
    first: int
    """The first such row of the first file, counted from 0."""


@dataclass(frozen=True)
class SharedRows(Fact):
    """Rows, equal in every column, that come more than once in tables of the same columns."""

    fact: ClassVar[str] = "shared-rows"

    pairs: tuple[RowsAgain, ...]
    """The pairs of files that share rows, those that share most first, at most twenty."""
    looked_at: int
    """Tables whose rows were compared."""


@dataclass(frozen=True)
class OtherOrder:
    """Two files that name the same rows, each row once, in different orders."""

    file: str
    """The file that was read first."""
    column: str
    """Its column that names the rows."""
    other: str
    """The other file."""
    other_column: str
    """The column that has the same names there."""
    rows: int
    """Rows of each."""
    in_place: float
    """The share of the rows that stand at the same place in both."""


@dataclass(frozen=True)
class RowOrders(Fact):
    """Tables of the run that name the same rows, compared by the order in which they have them."""

    fact: ClassVar[str] = "row-orders"

    pairs: tuple[OtherOrder, ...]
    """The pairs whose orders differ."""
    looked_at: int
    """Pairs of tables that name the same rows."""


@dataclass(frozen=True)
class GivenAway:
    """A column of a file that gives the label away."""

    file: str
    """The file."""
    column: str
    """The column by its name."""
    key: str | None
    """The key or array that it belongs to, where it is one of several."""
    label: str
    """The column that holds the label."""
    alone: float
    """What the column tells of the label by itself, 1 for all there is."""
    second: float
    """What the next best one tells."""


@dataclass(frozen=True)
class LeakingColumns(Fact):
    """Columns that tell of the label what the most telling feature of the model's input does."""

    fact: ClassVar[str] = "leaking-columns"

    columns: tuple[GivenAway, ...]
    """One for each file that has such a column."""


@dataclass(frozen=True)
class LostColumn:
    """A column of a file of which nothing is left in what enters the model."""

    file: str
    """The file."""
    column: str
    """The column by its name."""
    key: str | None = None
    """The key or array that it belongs to, where it is one of several."""


@dataclass(frozen=True)
class LostColumns(Fact):
    """Columns that tell much of the label, in a file of which the model is told as little as without them."""

    fact: ClassVar[str] = "lost-columns"

    columns: tuple[LostColumn, ...]
    """The columns."""
    label: str
    """The column that holds the label."""
    entered: float
    """What the numbers that enter the model tell of the label, 1 for all there is."""
    all_tell: float
    """What all columns of the file tell."""
    others_tell: float
    """What the columns tell that are not lost."""
    features: tuple[int, ...]
    """The features of the model's input that hardly differ between samples."""


@dataclass(frozen=True)
class BadCell:
    """A column of a file in which a number is missing or not finite."""

    file: str
    """The file."""
    column: str
    """The column by its name."""
    key: str | None
    """The key or array that it belongs to, where it is one of several."""
    row: int
    """The first such row, counted from 0."""
    line: int | None
    """Its line in the file, where rows are lines."""
    count: int
    """Such cells in this column."""
    rows: int
    """All rows."""


@dataclass(frozen=True)
class BadCells(Fact):
    """Cells without a finite number in the tables that the run read."""

    fact: ClassVar[str] = "bad-cells"

    cells: tuple[BadCell, ...]
    """The columns that have such cells, those with the fewest first, at most twenty."""
    looked_at: int
    """Tables that were looked at."""


@dataclass(frozen=True)
class LabelPart:
    """The labels of one file of several, or of rows that a column names, beside what the other parts say of them."""

    file: str
    """The file that holds the labels."""
    column: str
    """Their column."""
    key: str | None
    """The key or array that the column belongs to, where it is one of several."""
    by: str
    """The column that names the part, where the parts are rows of one file; empty where they are files."""
    part: str
    """The part by its name in that column."""
    inputs: str
    """The file that has an input for each row of this one; empty where they are in one file, or in one for all."""
    classes: int | None
    """Classes of the labels; None where they are numbers."""
    rows: int
    """Rows of the part."""
    looked_at: int
    """Rows that were compared with what a model fitted to all other parts says of their inputs."""
    agreement: float
    """How far labels and model agree: 0 as by lot, 1 wholly."""
    error: float
    """The standard error of that."""
    among_others: float
    """The same of the other parts in the median, this one left out of what they are compared with."""
    worst_other: float
    """The same of the other part that agrees least."""
    own: float
    """How far the rows of the part agree with each other, by their nearest neighbours."""
    own_others: float
    """The same of the other parts in the median."""
    sure: float
    """How sure the others are of the inputs of this part, over how sure they are of each other's."""
    distance: float
    """How far its inputs are from those of the others, over how far those are from each other."""
    spread: float
    """How far its labels are spread, over the others', where they are numbers; 1 for classes."""
    shift: int
    """By how many rows labels are moved down, -1 for one row up, where the model fits them best; 0 for not at all."""
    turned: bool
    """Whether that is rather so with the labels in the opposite order."""
    first: int
    """The first row, counted from 0, from which on they are moved."""
    last: int
    """The row up to which they are; 0 for up to the end."""
    moved: float
    """The agreement with the labels so moved."""
    others_moved: float
    """That of the other parts in the median, were theirs moved alike."""
    won: int
    """Rows whose label is the model's only when it is so moved; for numbers, those that come nearer to it."""
    lost: int
    """Rows whose label is the model's only as it is; for numbers, those that were nearer to it."""


@dataclass(frozen=True)
class LabelParts(Fact):
    """Labels that came in several parts, each compared with what the other parts say of its inputs."""

    fact: ClassVar[str] = "label-parts"

    parts: tuple[LabelPart, ...]
    """The parts that stand out: those that agree least first, at most four of each kind of part."""
    looked_at: int
    """Parts that were compared."""


@dataclass(frozen=True)
class GroupedRows(Fact):
    """Rows of one label column that come in groups, by what another column or the front of their names says."""

    fact: ClassVar[str] = "grouped-rows"

    file: str
    """The file that names the groups, the first of several of one kind."""
    column: str
    """The column that names them."""
    front: bool
    """Whether only the front of its words does, up to the last mark that is neither letter nor digit."""
    groups: int
    """Groups."""
    rows: int
    """Rows of the table, or of all tables of its kind."""
    label: str
    """The column that holds the label."""
    tight: float
    """The share of rows whose nearest row of their group is less than half as far away as the nearest of others."""
    one_label: float
    """The share of the label, or of its variance, that a group has in common."""


@dataclass(frozen=True)
class NoisyLabels(Fact):
    """The labels of the largest file of several, and those of the others, beside what one simple model says of both."""

    fact: ClassVar[str] = "noisy-labels"

    file: str
    """The largest file that holds labels."""
    column: str
    """Their column."""
    key: str | None
    """The key or array that the column belongs to, where it is one of several."""
    inputs: str
    """The file that has an input for each row of this one; empty where there is none."""
    others: tuple[str, ...]
    """The other files."""
    classes: int
    """Classes of the labels."""
    rows: int
    """Rows of the largest file."""
    other_rows: int
    """Rows of the others."""
    agreement: float
    """How far its labels agree with models fitted to other rows of it: 0 as by lot, 1 wholly."""
    of_others: float
    """How far the labels of the other files agree with a model fitted to it."""
    error: float
    """The standard error of the difference."""
    sure: float
    """How sure the models are of its rows, over how sure they are of the others'."""
    contradicted: int
    """Rows of it whose label the models contradict."""
