from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program


@fault(
    "num/division-by-zero",
    before="u = x / (x.norm(dim=-1, keepdim=True) + 1e-6)\n",
    after="u = x / x.norm(dim=-1, keepdim=True)\n",
)
def division_by_zero(program: Program) -> Iterator[Mutation]:
    """The small number that keeps a divisor from zero is gone."""
    for node in program.nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and isinstance(node.right, ast.BinOp):
            small = program.text(node.right.right).lower()
            if isinstance(node.right.op, ast.Add) and ("eps" in small or small.startswith("1e-")):
                kept = f"{program.text(node.left)} / {program.atom(node.right.left)}"
                yield Mutation((program.replace(node, kept),))
