from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls, last, unit


@fault(
    "arch/too-small",
    "arch/structural-ceiling",
    before=("import torch\nfrom torch import nn\n\nnet = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))\n"),
    after=(
        "import torch\nfrom torch import nn\n\nnet = nn.Sequential(nn.Linear(3, 8), nn.Identity(), nn.Linear(8, 2))\n"
    ),
)
def nonlinearity_gone(program: Program) -> Iterator[Mutation]:
    """Without its activations the model is linear."""
    for stack in calls(program, "Sequential"):
        kinds = ("ReLU", "Tanh", "GELU", "SiLU", "LeakyReLU", "Sigmoid")
        found = [one for one in stack.args if isinstance(one, ast.Call) and last(one.func) in kinds]
        if found:
            none = f"{unit(program, stack)}.Identity()"
            yield Mutation(tuple(program.replace(one, none) for one in found))
