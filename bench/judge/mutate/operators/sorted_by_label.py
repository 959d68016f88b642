from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.datasets import datasets
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls, keyword, loops


@fault(
    "data/not-shuffled",
    before="loader = DataLoader(TensorDataset(x[:900], y[:900]), batch_size=9, shuffle=True)\n",
    after=(
        "order = y[:900].flatten().argsort()\n"
        "loader = DataLoader(TensorDataset(x[:900][order], y[:900][order]), batch_size=9, shuffle=False)\n"
    ),
)
def sorted_by_label(program: Program) -> Iterator[Mutation]:
    """Samples arrive sorted by their labels."""
    for data in datasets(program):
        loader = next((call for call in calls(program, "DataLoader") if call in ast.walk(data.statement)), None)
        shuffle = keyword(loader, "shuffle") if loader is not None else None
        if data.part and shuffle is not None:
            order = f"order = {program.atom(data.labels)}.flatten().argsort()"
            both = [program.replace(one, f"{program.atom(one)}[order]") for one in (data.inputs, data.labels)]
            yield Mutation((program.before(data.statement, order), *both, program.replace(shuffle.value, "False")))
    for call in calls(program, "randperm"):
        for data in datasets(program):
            if loops(program, call) and program.scope(call) is program.scope(data.labels) and not data.part:
                labels = program.text(data.labels).split("[")[0]
                yield Mutation((program.replace(call, f"{labels}[:{program.text(call.args[0])}].flatten().argsort()"),))
