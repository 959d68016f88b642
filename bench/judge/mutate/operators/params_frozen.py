from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import has, optimizers


@fault(
    "train/params-frozen",
    "train/params-not-optimized",
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
        "for p in list(net.parameters())[:-2]:\n"
        "    p.requires_grad_(False)\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    ),
)
def params_frozen(program: Program) -> Iterator[Mutation]:
    """All but the last layer are frozen."""
    for optimizer in optimizers(program):
        if optimizer.owner and not has(program, "load_state_dict"):
            frozen = f"for p in list({optimizer.owner}.parameters())[:-2]:", "    p.requires_grad_(False)"
            yield Mutation((program.before(program.statement(optimizer.call), *frozen),))
