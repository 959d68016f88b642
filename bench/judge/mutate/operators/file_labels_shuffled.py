from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program, Rewrite
from bench.judge.mutate.tables import Table, for_training, labelled


@fault(
    "data/labels-misaligned",
    "data/labels-noisy",
    before={
        "train.csv": "a,b,label\n1,5,0\n2,6,1\n3,7,2\n",
        "valid.csv": "a,b,label\n8,9,1\n",
    },
    after={
        "train.csv": "a,b,label\n1,5,0\n2,6,2\n3,7,1\n",
        "valid.csv": "a,b,label\n8,9,1\n",
    },
)
def file_labels_shuffled(program: Program) -> Iterator[Mutation]:
    """In one file, the labels are in another order than the rows."""
    for table in labelled(for_training(program)):
        yield Mutation(rewrites=(Rewrite(table.file, partial(_shuffled, table), table.label),))


def _shuffled(table: Table) -> bytes:
    labels = table.column(table.label)
    random.Random(0).shuffle(labels)
    return table.changed({table.label: labels})
