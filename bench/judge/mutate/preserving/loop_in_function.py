from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import backwards, loops


@preserving(
    before="net = Net()\nfor x in loader:\n    loss = f(net, x)\n    loss.backward()\n",
    after=(
        "net = Net()\n"
        "def run():\n"
        "    global loss, x\n"
        "    for x in loader:\n"
        "        loss = f(net, x)\n"
        "        loss.backward()\n"
        "run()\n"
    ),
)
def loop_in_function(program: Program) -> Iterator[Mutation]:
    """The training loop is in a function of its own."""
    for call in backwards(program):
        around = loops(program, call)
        if (
            not around
            or program.function(call) is not None
            or program.parents[around[-1]] is not program.home[call].tree
        ):
            continue
        loop = around[-1]
        stored = {node.id for node in ast.walk(loop) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        body = [f"    {line}".rstrip() for line in program.lines_of(loop)]
        if not any(isinstance(node, ast.Constant) and "\n" in str(node.value) for node in ast.walk(loop)):
            lines = ["def run():", f"    global {', '.join(sorted(stored))}", *body, "run()"]
            yield Mutation((program.replace(loop, "\n".join(lines)),))
