from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program


@preserving(
    before=("class T:\n    def __init__(self):\n        self.opt = 1\n\n    def f(self):\n        return self.opt\n"),
    after=("class T:\n    def __init__(self):\n        self.opt_ = 1\n\n    def f(self):\n        return self.opt_\n"),
)
def attribute_renamed(program: Program) -> Iterator[Mutation]:
    """An attribute of a class that is no module has another name."""
    texts = [node for source in program.sources.values() for node in ast.walk(source.tree)]
    hidden_names = {
        one.attr
        for node in texts
        if isinstance(node, ast.JoinedStr)
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute)
    }
    for owner in program.nodes:
        if not isinstance(owner, ast.ClassDef) or owner.bases:
            continue
        inside = [
            node for node in ast.walk(owner) if isinstance(node, ast.Attribute) and program.text(node.value) == "self"
        ]
        for name in dict.fromkeys(node.attr for node in inside if isinstance(node.ctx, ast.Store)):
            own = [node for node in inside if node.attr == name]
            every = [node for node in texts if isinstance(node, ast.Attribute) and node.attr == name]
            if len(own) == len(every) and name not in hidden_names:
                yield Mutation(tuple(program.replace(node, f"self.{name}_") for node in own))
