from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.literals import number
from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls, keyword, optimizers


@preserving(
    before="import torch\n\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n",
    after="import torch\n\nRATE = 0.1\nopt = torch.optim.SGD(net.parameters(), lr=RATE)\n",
)
def constant_extracted(program: Program) -> Iterator[Mutation]:
    """A number gets a name."""
    for optimizer in optimizers(program):
        rate = keyword(optimizer.call, "lr")
        if rate is not None and number(rate.value) is not None:
            built = program.statement(optimizer.call)
            named = program.before(built, f"RATE = {program.text(rate.value)}")
            yield Mutation((named, program.replace(rate.value, "RATE")))
    for call in calls(program, "DataLoader"):
        size = keyword(call, "batch_size")
        if size is not None and number(size.value) is not None:
            built = program.statement(call)
            named = program.before(built, f"SAMPLES_PER_BATCH = {program.text(size.value)}")
            yield Mutation((named, program.replace(size.value, "SAMPLES_PER_BATCH")))
