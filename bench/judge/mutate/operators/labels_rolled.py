from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.datasets import datasets
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program


@fault(
    "data/labels-misaligned",
    before="loader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n",
    after="loader = DataLoader(TensorDataset(x[:900], y[:900].roll(1, 0)), batch_size=9, shuffle=True)\n",
)
def labels_rolled(program: Program) -> Iterator[Mutation]:
    """Every sample has the label of the one before it."""
    for data in datasets(program):
        yield Mutation(data.relabelled("{y}.roll(1, 0)"))
