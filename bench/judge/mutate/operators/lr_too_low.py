from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from bench.judge.mutate.literals import scaled
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import settings


@fault(
    "hp/lr-too-low",
    before="opt = torch.optim.SGD(net.parameters(), lr=0.1)\n",
    after="opt = torch.optim.SGD(net.parameters(), lr=0.001)\n",
)
def lr_too_low(program: Program) -> Iterator[Mutation]:
    """The learning rate is a hundredth or a thousandth of what it was."""
    for factor in (0.01, 0.001):
        for call, rate in islice(settings(program, "lr", "learning_rate"), 1):
            yield Mutation((scaled(program, rate, factor),), (call,))
