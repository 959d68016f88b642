from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program, Rewrite
from bench.judge.mutate.tables import Table, for_training


@fault(
    "data/nonfinite-values",
    "env/exception",
    before={
        "train.csv": "a,b,label\n1,5,0\n2,6,1\n3,7,2\n",
        "valid.csv": "a,b,label\n8,9,1\n",
    },
    after={
        "train.csv": "a,b,label\n1,5,0\nnan,6,1\n3,7,2\n",
        "valid.csv": "a,b,label\n8,9,1\n",
    },
    effect="fails",
)
def cell_missing(program: Program) -> Iterator[Mutation]:
    """One cell of one file is not a number."""
    for table in for_training(program):
        for name in table.features[:1]:
            row = table.rows_count // 2
            yield Mutation(rewrites=(Rewrite(table.file, partial(_missing, table, name, row), name, str(row)),))


def _missing(table: Table, name: str, row: int) -> bytes:
    values = table.column(name)
    values[row] = float("nan")
    return table.changed({name: values})
