from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls, loops


@preserving(
    before='for x in loader:\n    f(x).backward()\n    print("step")\n',
    after=(
        "for x in loader:\n"
        "    f(x).backward()\n"
        '    print("step")\n'
        '    with open("train.log", "a") as log:\n'
        '        print("step", file=log)\n'
    ),
)
def log_written(program: Program) -> Iterator[Mutation]:
    """What is printed is also written to a file."""
    for call in calls(program, "print"):
        said, parent = program.text(call), program.parents[call]
        if isinstance(parent, ast.Expr) and loops(program, call) and "\n" not in said:
            also = f"    {said[:-1]}, file=log)"
            yield Mutation((program.after(parent, 'with open("train.log", "a") as log:', also),))
