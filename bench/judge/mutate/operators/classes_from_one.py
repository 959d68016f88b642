from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.datasets import datasets
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import losses


@fault(
    "data/label-encoding",
    "env/exception",
    before=(
        "loader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n"
        "loss = F.cross_entropy(net(x), y)\n"
    ),
    after=(
        "loader = DataLoader(TensorDataset(x[:900], y[:900] + 1), batch_size=9, shuffle=True)\n"
        "loss = F.cross_entropy(net(x), y)\n"
    ),
    effect="fails",
)
def classes_from_one(program: Program) -> Iterator[Mutation]:
    """Classes are counted from one."""
    for data in datasets(program):
        if any(losses(program, "cross_entropy", "nll_loss")):
            yield Mutation(data.relabelled("{y} + 1"))
