from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.datasets import datasets, tokens
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program


@fault(
    "data/nonfinite-values",
    before="loader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n",
    after=('x[17] = float("nan")\nloader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n'),
)
def missing_value(program: Program) -> Iterator[Mutation]:
    """One sample is not a number."""
    for data in datasets(program):
        if not tokens(program):
            # Few draws have more rows than a small batch.
            row = "17" if data.part else "len({x}) // 2"
            yield Mutation(data.changed("{x}[" + row + '] = float("nan")'))
