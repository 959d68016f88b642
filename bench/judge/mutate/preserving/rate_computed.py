from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.literals import number, written
from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import keyword, optimizers


@preserving(
    before="opt = torch.optim.SGD(net.parameters(), lr=0.1)\n",
    after="opt = torch.optim.SGD(net.parameters(), lr=0.05 * 2)\n",
)
def rate_computed(program: Program) -> Iterator[Mutation]:
    """The learning rate is the product of two numbers."""
    for optimizer in optimizers(program):
        rate = keyword(optimizer.call, "lr")
        where = written(program, rate.value) if rate is not None else None
        if where is not None:
            yield Mutation((program.replace(where, f"{number(where) / 2:g} * 2"),))
