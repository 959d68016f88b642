from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.models import begun
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program


@fault(
    "arch/bad-init",
    "arch/dead-units",
    "num/exploding-gradients",
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
        "        p.mul_(20)\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    ),
)
def init_large(program: Program) -> Iterator[Mutation]:
    """All weights begin twenty times too large."""
    yield from begun(program, "p.mul_(20)")
