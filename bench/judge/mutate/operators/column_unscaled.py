from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program, Rewrite
from bench.judge.mutate.tables import Table, for_training


@fault(
    "data/inputs-unnormalized",
    "data/distribution-shift",
    before={
        "train.csv": "a,b,label\n1,5,0\n2,6,1\n3,7,2\n",
        "valid.csv": "a,b,label\n8,9,1\n",
    },
    after={
        "train.csv": "a,b,label\n1000.0,5,0\n2000.0,6,1\n3000.0,7,2\n",
        "valid.csv": "a,b,label\n8,9,1\n",
    },
)
def column_unscaled(program: Program) -> Iterator[Mutation]:
    """In one file, one column is in another unit."""
    for table in for_training(program):
        for name in table.features[:1]:
            yield Mutation(rewrites=(Rewrite(table.file, partial(_scaled, table, name), name),))


def _scaled(table: Table, name: str) -> bytes:
    values = table.column(name)
    return table.changed({name: [value if value == "" else 1000 * float(value) for value in values]})
