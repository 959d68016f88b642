from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.models import hidden
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import imports


@fault(
    "train/graph-broken",
    "train/params-not-optimized",
    before=(
        "import torch\n"
        "\n"
        "\n"
        "class Net(nn.Module):\n"
        "    def forward(self, x):\n"
        "        h = self.fc(x)\n"
        "        return self.out(h)\n"
    ),
    after=(
        "import torch\n"
        "\n"
        "\n"
        "class Net(nn.Module):\n"
        "    def forward(self, x):\n"
        "        with torch.no_grad():\n"
        "            h = self.fc(x)\n"
        "        return self.out(h)\n"
    ),
)
def no_grad_in_forward(program: Program) -> Iterator[Mutation]:
    """Part of the forward pass runs without gradients."""
    for inner in hidden(program):
        held = program.statement(inner)
        if isinstance(held, ast.Assign) and imports(program, held, "torch"):
            lines = ["with torch.no_grad():", *(f"    {line}" for line in program.lines_of(held))]
            yield Mutation((program.before(held, *lines), program.remove(held)))
