from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.datasets import datasets, tokens
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program


@fault(
    "data/inputs-destroyed",
    before="loader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n",
    after=(
        "x = x.clip(-0.01, 0.01)\nloader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n"
    ),
)
def inputs_clipped(program: Program) -> Iterator[Mutation]:
    """Clipping takes all but the sign from the inputs."""
    for data in datasets(program):
        if not tokens(program):
            yield Mutation(data.changed("{x} = {x}.clip(-0.01, 0.01)"))
