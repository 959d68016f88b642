from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.datasets import datasets
from bench.judge.mutate.literals import number
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls, loops, training


@fault(
    "data/too-little",
    "hp/overfitting",
    before="loader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n",
    after="loader = DataLoader(TensorDataset(x[:18], y[:18]), batch_size=9, shuffle=True)\n",
)
def too_little_data(program: Program) -> Iterator[Mutation]:
    """A fiftieth of the samples is trained on."""
    for data in datasets(program):
        cuts = [node for node in ast.walk(data.statement) if isinstance(node, ast.Slice) and node.lower is None]
        sizes = {number(node.upper) for node in cuts if node.upper is not None}
        if data.part and len(sizes) == 1 and None not in sizes:
            few = str(max(8, int(sizes.pop()) // 50))
            yield Mutation(tuple(program.replace(node.upper, few) for node in cuts))
    for call in calls(program, "randint"):
        size = call.args[-2] if len(call.args) > 1 and isinstance(call.args[-1], ast.Tuple) else None
        if size is not None and loops(program, call) and training(program, call):
            yield Mutation((program.replace(size, f"{program.text(size)} // 100"),))
