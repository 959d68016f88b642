from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.datasets import datasets
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import imports


@fault(
    "data/labels-noisy",
    "data/labels-misaligned",
    before=("import torch\n\nloader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n"),
    after=(
        "import torch\n"
        "\n"
        "labels = y[:900].clone()\n"
        "picked = torch.rand(len(labels)) < 0.4\n"
        "labels[picked] = labels[picked][torch.randperm(int(picked.sum()))]\n"
        "loader = DataLoader(TensorDataset(x[:900], labels), batch_size=9, shuffle=True)\n"
    ),
)
def labels_noisy(program: Program) -> Iterator[Mutation]:
    """Two of five labels are those of other samples."""
    for data in datasets(program):
        if imports(program, data.statement, "torch"):
            drawn = "{y}[picked] = {y}[picked][torch.randperm(int(picked.sum()))]"
            yield Mutation(data.named("picked = torch.rand(len({y})) < 0.4", drawn))
