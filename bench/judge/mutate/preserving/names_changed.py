from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program, Source


@preserving(
    before="def f(n):\n    total = 0\n    total += n\n    return total\n",
    after="def f(n):\n    total_value = 0\n    total_value += n\n    return total_value\n",
)
def names_changed(program: Program) -> Iterator[Mutation]:
    """Two variables have other names."""
    for source in program.sources.values():
        kept = _fixed(program, source)
        found = [node for node in program.nodes if isinstance(node, ast.Name) and program.home[node] is source]
        stored = [node.id for node in found if isinstance(node.ctx, ast.Store)]
        for name in [name for name in dict.fromkeys(stored) if name not in kept and len(name) > 1][:2]:
            same = (node for node in found if node.id == name)
            yield Mutation(tuple(program.replace(node, f"{name}_value") for node in same))


def _fixed(program: Program, source: Source) -> set[str]:
    """Names that others know: of parameters, keywords, attributes, definitions, exports, and within f-strings."""
    known: set[str] = set()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.JoinedStr):
            known |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            known |= set(node.names)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.alias)):
            known.add(node.name)
        elif isinstance(node, ast.arg):
            known.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(program.parents[program.statement(node)], ast.ClassDef):
            known.add(node.id)
    for other in program.sources.values():
        if other is not source:
            known |= {one.id for one in ast.walk(other.tree) if isinstance(one, ast.Name)}
            known |= {one.name for one in ast.walk(other.tree) if isinstance(one, ast.alias)}
            known |= {one.attr for one in ast.walk(other.tree) if isinstance(one, ast.Attribute)}
    return known
