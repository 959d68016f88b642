from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import backwards, loops


@preserving(
    before="for x in loader:\n    f(x).backward()\n",
    after='try:\n    for x in loader:\n        f(x).backward()\nfinally:\n    print("done")\n',
)
def loop_in_try(program: Program) -> Iterator[Mutation]:
    """Whatever happens in the loop, something is printed after it."""
    for call in backwards(program):
        for loop in loops(program, call)[-1:]:
            if any(isinstance(node, ast.Constant) and "\n" in str(node.value) for node in ast.walk(loop)):
                continue
            indent = program.indent(loop)
            body = "\n".join(f"{indent}    {line}".rstrip() for line in program.lines_of(loop))
            text = f'try:\n{body}\n{indent}finally:\n{indent}    print("done")'
            yield Mutation((program.replace(loop, text),))
