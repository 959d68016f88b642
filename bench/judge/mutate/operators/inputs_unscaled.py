from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.datasets import datasets, tokens
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program


@fault(
    "data/inputs-unnormalized",
    before="loader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n",
    after=("x = x * 255\nloader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n"),
)
def inputs_unscaled(program: Program) -> Iterator[Mutation]:
    """Inputs are 255 times as large as they should be."""
    for data in datasets(program):
        if not tokens(program):
            yield Mutation(data.changed("{x} = {x} * 255"))
