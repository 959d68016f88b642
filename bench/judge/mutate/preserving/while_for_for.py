from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Edit, Mutation, Program
from bench.judge.mutate.vocabulary import backwards, last, loops, steps


@preserving(
    before="for step in range(1, 9):\n    f(step)\n    g(step).backward()\n",
    after="step = 1\nwhile step < 9:\n    f(step)\n    g(step).backward()\n    step += 1\n",
)
def while_for_for(program: Program) -> Iterator[Mutation]:
    """A loop over a range counts by itself."""
    for call in (*backwards(program), *(step.value for step in steps(program))):
        for loop in loops(program, call):
            ranged = isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and last(loop.iter.func) == "range"
            leaves = any(isinstance(node, (ast.Continue, ast.Break)) for node in ast.walk(loop))
            if not ranged or leaves or loop.orelse or not 0 < len(loop.iter.args) < 3 or last(loop.target) in ("", "_"):
                continue
            bounds = ["0", *(program.text(one) for one in loop.iter.args)][-2:]
            head = Edit(program.home[loop].file, program.span(loop)[0], program.span(loop.iter)[1], "")
            name = program.text(loop.target)
            text = f"{name} = {bounds[0]}\n{program.indent(loop)}while {name} < {bounds[1]}"
            changed = Edit(head.file, head.begin, head.end, text)
            yield Mutation((changed, program.after(loop.body[-1], f"{name} += 1")))
