from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program, Rewrite
from bench.judge.mutate.tables import Table, for_training, labelled


@fault(
    "data/labels-misaligned",
    before={
        "train.csv": "a,b,label\n1,5,0\n2,6,1\n3,7,2\n",
        "valid.csv": "a,b,label\n8,9,1\n",
    },
    after={
        "train.csv": "a,b,label\n1,5,2\n2,6,0\n3,7,1\n",
        "valid.csv": "a,b,label\n8,9,1\n",
    },
)
def file_labels_rotated(program: Program) -> Iterator[Mutation]:
    """In one file, every row has the label of the row before it."""
    for table in labelled(for_training(program)):
        yield Mutation(rewrites=(Rewrite(table.file, partial(_rotated, table), table.label),))


def _rotated(table: Table) -> bytes:
    labels = table.column(table.label)
    return table.changed({table.label: [labels[-1], *labels[:-1]]})
