from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.literals import written
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import argument, calls, has, last, unit


@fault(
    "arch/over-regularized",
    "train/train-mode-in-eval",
    before=("import torch\nfrom torch import nn\n\nnet = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))\n"),
    after=(
        "import torch\n"
        "from torch import nn\n"
        "\n"
        "net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Dropout(0.95), nn.Linear(8, 2))\n"
    ),
)
def dropout_too_strong(program: Program) -> Iterator[Mutation]:
    """Dropout leaves next to nothing."""
    for call in calls(program, "Dropout"):
        rate = argument(call, 0, "p")
        if rate is not None:
            yield Mutation((program.replace(written(program, rate) or rate, "0.95"),), (call,))
    for call in calls(program, "ReLU", "Tanh", "GELU", "SiLU", "LeakyReLU"):
        parent = program.parents[call]
        # One more layer would give those after it other names than stored weights have.
        free = (
            isinstance(parent, ast.Call) and last(parent.func) == "Sequential" and not has(program, "load_state_dict")
        )
        if free:
            yield Mutation((program.replace(call, f"{program.text(call)}, {unit(program, call)}.Dropout(0.95)"),))
