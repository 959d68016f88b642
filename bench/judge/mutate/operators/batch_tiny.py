from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.literals import number, written
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import backwards, calls, has, loops


@fault(
    "hp/batch-too-small",
    before="for step in range(900):\n    i = torch.randint(0, 4500, (64,))\n    loss(i).backward()\n",
    after="for step in range(900):\n    i = torch.randint(0, 4500, (1,))\n    loss(i).backward()\n",
)
def batch_tiny(program: Program) -> Iterator[Mutation]:
    """A batch is a single sample, or two."""
    # Where a loop goes through all data, tiny batches would only take long.
    sizes: list[ast.expr | None] = []
    for call in calls(program, "randint"):
        if isinstance(call.args[-1], ast.Tuple) and len(call.args[-1].elts) == 1 and loops(program, call):
            sizes.append(call.args[-1].elts[0])
    for loop in [around for call in backwards(program) for around in loops(program, call)[:1]]:
        for node in ast.walk(loop):
            if isinstance(node, ast.Call) and isinstance(program.parents[node], ast.Assign) and len(node.args) == 1:
                sizes.append(node.args[0] if number(node.args[0]) not in (None, 0, 1) else None)
    sizes += [ast.Name(name) for name in ("batch_size", "batch", "BATCH")] if not has(program, "DataLoader") else []
    found = {one: None for one in (written(program, size) for size in sizes if size is not None) if one is not None}
    for size in found:
        if isinstance(number(size), int) and number(size) >= 8:
            yield Mutation((program.replace(size, "1"),))
            yield Mutation((program.replace(size, "2"),))
