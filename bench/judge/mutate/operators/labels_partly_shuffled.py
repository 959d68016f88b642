from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.datasets import datasets
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import imports


@fault(
    "data/labels-misaligned",
    "data/labels-noisy",
    before=("import torch\n\nloader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n"),
    after=(
        "import torch\n"
        "\n"
        "labels = y[:900].clone()\n"
        "half = len(labels) // 2\n"
        "labels[:half] = labels[torch.randperm(half)]\n"
        "loader = DataLoader(TensorDataset(x[:900], labels), batch_size=9, shuffle=True)\n"
    ),
)
def labels_partly_shuffled(program: Program) -> Iterator[Mutation]:
    """The labels of the first half do not belong to their inputs."""
    for data in datasets(program):
        if imports(program, data.statement, "torch"):
            yield Mutation(data.named("half = len({y}) // 2", "{y}[:half] = {y}[torch.randperm(half)]"))
