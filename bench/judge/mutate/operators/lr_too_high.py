from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from bench.judge.mutate.literals import scaled
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import settings


@fault(
    "hp/lr-too-high",
    "num/exploding-gradients",
    before="opt = torch.optim.SGD(net.parameters(), lr=0.01)\n",
    after="opt = torch.optim.SGD(net.parameters(), lr=0.3)\n",
)
def lr_too_high(program: Program) -> Iterator[Mutation]:
    """The learning rate is 30 or 100 times what it was."""
    for factor in (30, 100):
        for call, rate in islice(settings(program, "lr", "learning_rate"), 1):
            yield Mutation((scaled(program, rate, factor),), (call,))
