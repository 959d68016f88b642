from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.datasets import datasets, tokens
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import has


@fault(
    "data/target-leakage",
    before="loader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n",
    after=("x[:, 0] = y.flatten()\nloader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n"),
    effect="better",
)
def label_in_inputs(program: Program) -> Iterator[Mutation]:
    """One input is the answer."""
    column = (
        "[:, 0, 0, 0]" if has(program, "Conv2d") else "[:, -1, 0]" if has(program, "GRU", "LSTM", "RNN") else "[:, 0]"
    )
    for data in datasets(program):
        if not tokens(program):
            yield Mutation(data.changed("{x}" + column + " = {y}.flatten()"))
