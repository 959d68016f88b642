from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.models import begun
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program


@fault(
    "arch/bad-init",
    before=(
        "import torch\n"
        "from torch import nn\n"
        "\n"
        "net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    ),
    after=(
        "import torch\n"
        "from torch import nn\n"
        "\n"
        "net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))\n"
        "with torch.no_grad():\n"
        "    for p in net.parameters():\n"
        "        p.fill_(0.01)\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    ),
)
def init_constant(program: Program) -> Iterator[Mutation]:
    """All weights begin with the same number."""
    yield from begun(program, "p.fill_(0.01)")
    yield from begun(program, "p.zero_()")
