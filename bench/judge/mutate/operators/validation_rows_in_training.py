from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program, Rewrite
from bench.judge.mutate.tables import for_judging, for_training


@fault(
    "data/split-leakage",
    before={
        "train.csv": "a,b,label\n1,5,0\n2,6,1\n3,7,2\n",
        "valid.csv": "a,b,label\n8,9,1\n",
    },
    after={
        "train.csv": "a,b,label\n1,5,0\n2,6,1\n3,7,2\n8,9,1\n",
        "valid.csv": "a,b,label\n8,9,1\n",
    },
    effect="better",
)
def validation_rows_in_training(program: Program) -> Iterator[Mutation]:
    """The rows of the validation file are in the training file as well."""
    for table in for_training(program):
        for held in for_judging(program):
            if type(held) is type(table) and held.label == table.label and held.features == table.features:
                yield Mutation(rewrites=(Rewrite(table.file, partial(table.extended, held)),))
