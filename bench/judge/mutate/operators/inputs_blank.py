from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.datasets import datasets
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program


@fault(
    "data/inputs-destroyed",
    before="loader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n",
    after="x = x * 0\nloader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n",
)
def inputs_blank(program: Program) -> Iterator[Mutation]:
    """All inputs are the same."""
    for data in datasets(program):
        yield Mutation(data.changed("{x} = {x} * 0"))
