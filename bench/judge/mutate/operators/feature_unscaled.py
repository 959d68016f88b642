from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.datasets import datasets, tokens
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import has


@fault(
    "data/inputs-unnormalized",
    before="loader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n",
    after=("x[:, 0] *= 10000\nloader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n"),
)
def feature_unscaled(program: Program) -> Iterator[Mutation]:
    """One feature is ten thousand times as large as the others."""
    for data in datasets(program):
        if not tokens(program) and not has(program, "Conv2d", "Conv1d", "GRU", "LSTM", "RNN"):
            yield Mutation(data.changed("{x}[:, 0] *= 10000"))
