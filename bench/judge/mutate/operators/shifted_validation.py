from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.datasets import datasets, tokens
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program


@fault(
    "data/distribution-shift",
    before="loader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n",
    after="loader = DataLoader(TensorDataset((x[:900] * 3 + 1), y[:900]), batch_size=9, shuffle=True)\n",
)
def shifted_validation(program: Program) -> Iterator[Mutation]:
    """Training inputs are prepared otherwise than those of the validation."""
    for data in datasets(program):
        if not tokens(program) and data.part:
            yield Mutation(data.refed("({x} * 3 + 1)"))
