from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program, Rewrite
from bench.judge.mutate.tables import Table, labelled, tables


@fault(
    "data/target-leakage",
    before={
        "train.csv": "a,b,label\n1,5,0\n2,6,1\n3,7,2\n",
        "valid.csv": "a,b,label\n8,9,1\n",
    },
    after={
        "train.csv": "a,b,label\n1,0,0\n2,1,1\n3,2,2\n",
        "valid.csv": "a,b,label\n8,1,1\n",
    },
    effect="better",
)
def column_gives_answer(program: Program) -> Iterator[Mutation]:
    """One column is the label."""
    every = labelled(tables(program))
    for name in every[0].features[-1:] if every else ():
        if all(name in one.features for one in every):
            yield Mutation(rewrites=tuple(Rewrite(one.file, partial(_told, one, name), name) for one in every))


def _told(table: Table, name: str) -> bytes:
    labels = table.column(table.label)
    try:
        numbers = [float(label) for label in labels]
    except (TypeError, ValueError):
        kinds = sorted(set(map(str, labels)))
        return table.changed({name: [kinds.index(str(label)) for label in labels]})
    return table.changed({name: labels if isinstance(labels[0], str) else numbers})
