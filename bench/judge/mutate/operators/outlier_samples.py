from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.datasets import datasets, tokens
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program


@fault(
    "data/outlier-batch",
    "data/inputs-unnormalized",
    before="loader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n",
    after=("x[::200] *= 1000\nloader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n"),
)
def outlier_samples(program: Program) -> Iterator[Mutation]:
    """A few samples are a thousand times too large."""
    for data in datasets(program):
        if not tokens(program):
            yield Mutation(data.changed("{x}[::200] *= 1000"))
