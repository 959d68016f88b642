from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import backwards, last, loops


@fault(
    "data/stale-batch",
    before="for e in range(9):\n    for x, y in loader:\n        loss(x, y).backward()\n",
    after=(
        "first = next(iter(loader))\n"
        "for e in range(9):\n"
        "    for x, y in [first] * len(loader):\n"
        "        loss(x, y).backward()\n"
    ),
)
def same_batch(program: Program) -> Iterator[Mutation]:
    """The same batch comes again and again."""
    for call in backwards(program):
        around = loops(program, call)
        if not around or not isinstance(around[0], ast.For):
            continue
        inner, names = around[0], {last(one) for one in ast.walk(around[0].iter)} - {""}
        if isinstance(inner.iter, ast.Name) and (names & {"loader", "train"} or "DataLoader" in _made(program, inner)):
            first = program.before(around[-1], f"first = next(iter({inner.iter.id}))")
            yield Mutation((first, program.replace(inner.iter, f"[first] * len({inner.iter.id})")))
            continue
        for node in inner.body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _draws(program, node, inner):
                yield Mutation((program.before(around[-1], *program.lines_of(node)), program.remove(node)))
                break


def _made(program: Program, loop: ast.For) -> str:
    """How what a loop goes through is made, as written."""
    for node in program.nodes:
        if isinstance(node, ast.Assign) and program.text(node.targets[0]) == program.text(loop.iter):
            return program.text(node.value)
    return ""


def _draws(program: Program, node: ast.Assign, loop: ast.For) -> bool:
    """Whether a statement draws a batch, of nothing that changes within the loop."""
    changed = {one.id for one in ast.walk(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    used = {one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)}
    named = last(node.value.func)
    drawing = named in ("randint", "sample", "batch", "draw", "get_batch", "next_batch", "pull")
    return drawing and not used & changed
