from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import objectives


@fault(
    "train/accumulation-scale",
    "hp/lr-too-high",
    before="(loss / ACCUM).backward()\n",
    after="(loss).backward()\n",
)
def not_divided(program: Program) -> Iterator[Mutation]:
    """The loss is not divided by the number of batches whose gradients are added up."""
    for objective in objectives(program):
        if isinstance(objective, ast.BinOp) and isinstance(objective.op, ast.Div):
            yield Mutation((program.replace(objective, program.text(objective.left)),))
