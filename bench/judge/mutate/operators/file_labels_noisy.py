from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program, Rewrite
from bench.judge.mutate.tables import Table, for_training, labelled


@fault(
    "data/labels-noisy",
    "data/labels-misaligned",
    before={
        "train.csv": "a,b,label\n1,5,0\n2,6,1\n3,7,2\n",
        "valid.csv": "a,b,label\n8,9,1\n",
    },
    after={
        "train.csv": "a,b,label\n1,5,0\n2,6,1\n3,7,0\n",
        "valid.csv": "a,b,label\n8,9,1\n",
    },
)
def file_labels_noisy(program: Program) -> Iterator[Mutation]:
    """In every file to train on, two of five labels are drawn at random."""
    made = tuple(Rewrite(one.file, partial(_noisy, one), one.label) for one in labelled(for_training(program)))
    if made:
        yield Mutation(rewrites=made)


def _noisy(table: Table) -> bytes:
    labels, chance = table.column(table.label), random.Random(2)
    drawn = [chance.choice(labels) if chance.random() < 0.4 else label for label in labels]
    return table.changed({table.label: drawn})
