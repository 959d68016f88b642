from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program


@preserving(
    before="def a():\n    return 1\n\n\ndef b():\n    return 2\n",
    after="def b():\n    return 2\n\n\ndef a():\n    return 1\n",
)
def definitions_swapped(program: Program) -> Iterator[Mutation]:
    """Two functions or classes stand in the other order."""
    for source in program.sources.values():
        for one, other in pairwise(source.tree.body):
            kinds = (ast.FunctionDef, ast.ClassDef)
            bare = isinstance(one, kinds) and isinstance(other, kinds) and not one.decorator_list + other.decorator_list
            if bare and not _needs(other, one.name):
                yield Mutation((program.replace(one, program.text(other)), program.replace(other, program.text(one))))


def _needs(other: ast.AST, name: str) -> bool:
    """Whether a definition uses another's name while it is made."""
    outside = [*getattr(other, "bases", ()), *getattr(getattr(other, "args", None), "defaults", ())]
    return any(isinstance(node, ast.Name) and node.id == name for part in outside for node in ast.walk(part))
