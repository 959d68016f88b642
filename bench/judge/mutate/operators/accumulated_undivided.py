from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import clearings, last, loops, steps


@fault(
    "train/accumulation-scale",
    "hp/lr-too-high",
    before=(
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for i in range(99):\n"
        "    opt.zero_grad()\n"
        "    f(x).backward()\n"
        "    opt.step()\n"
    ),
    after=(
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for i in range(99):\n"
        "    f(x).backward()\n"
        "    if i % 16 == 15:\n"
        "        opt.step()\n"
        "        opt.zero_grad()\n"
    ),
)
def accumulated_undivided(program: Program) -> Iterator[Mutation]:
    """Sixteen batches are added up for one step, and nothing divides by sixteen."""
    for step in steps(program):
        loop, *_ = loops(program, step) or [None]
        if not isinstance(loop, ast.For) or program.parents[step] is not loop or not isinstance(loop.target, ast.Name):
            continue
        ranged = isinstance(loop.iter, ast.Call) and last(loop.iter.func) == "range" and len(loop.iter.args) < 3
        for clearing in clearings(program) if ranged else ():
            if clearing in loop.body and isinstance(clearing, ast.Expr) and not isinstance(step, ast.Assign):
                lines = [f"if {loop.target.id} % 16 == 15:", *(f"    {program.text(one)}" for one in (step, clearing))]
                late = program.before(step, *lines)
                yield Mutation((program.remove(clearing), late, program.remove(step)))
