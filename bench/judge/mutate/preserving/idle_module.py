from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import optimizers, unit


@preserving(
    before="from torch import nn\n\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n",
    after=(
        "from torch import nn\n"
        "\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "reference = nn.Linear(4, 4).requires_grad_(False)\n"
    ),
)
def idle_module(program: Program) -> Iterator[Mutation]:
    """There is a frozen module that nothing uses."""
    for optimizer in optimizers(program):
        made = f"reference = {unit(program, optimizer.call)}.Linear(4, 4).requires_grad_(False)"
        yield Mutation((program.after(program.statement(optimizer.call), made),))
