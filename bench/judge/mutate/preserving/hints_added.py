from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program


@preserving(
    before="def f(x):\n    return x\n",
    after="def f(x: object):\n    return x\n",
)
def hints_added(program: Program) -> Iterator[Mutation]:
    """A parameter gets a type."""
    for node in program.nodes:
        if isinstance(node, ast.FunctionDef):
            for one in node.args.args:
                if one.annotation is None and one.arg != "self":
                    yield Mutation((program.replace(one, f"{one.arg}: object"),))
