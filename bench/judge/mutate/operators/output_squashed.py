from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.models import forwards, outer
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import REGRESSION, calls, last, losses, unit


@fault(
    "arch/output-range",
    before="from torch import nn\n\nnet = nn.Sequential(nn.Linear(3, 1))\nloss = F.mse_loss(net(x), y)\n",
    after=(
        "from torch import nn\n\nnet = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid())\nloss = F.mse_loss(net(x), y)\n"
    ),
)
def output_squashed(program: Program) -> Iterator[Mutation]:
    """The last activation cannot reach the targets."""
    if not any(losses(program, *REGRESSION)):
        return
    for stack in calls(program, "Sequential"):
        found = [one for one in stack.args if isinstance(one, ast.Call) and last(one.func) == "Linear"]
        if found and len(found[-1].args) > 1 and program.text(found[-1].args[1]) == "1":
            yield Mutation(
                (program.replace(found[-1], f"{program.text(found[-1])}, {unit(program, stack)}.Sigmoid()"),)
            )
    for forward in forwards(program):
        given = forward.body[-1]
        own = forward in getattr(outer(program), "body", ())
        if own and isinstance(given, ast.Return) and isinstance(given.value, ast.Call):
            yield Mutation((program.replace(given.value, program.text(given.value) + ".sigmoid()"),))
