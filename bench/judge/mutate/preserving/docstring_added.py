from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program


@preserving(
    before="def f(x):\n    return x\n",
    after='def f(x):\n    """What f does."""\n    return x\n',
)
def docstring_added(program: Program) -> Iterator[Mutation]:
    """A function gets a docstring."""
    for node in program.nodes:
        if isinstance(node, ast.FunctionDef) and not ast.get_docstring(node):
            yield Mutation((program.before(node.body[0], f'"""What {node.name} does."""'),))
