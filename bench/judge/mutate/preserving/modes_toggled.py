from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import optimizers


@preserving(
    before="opt = torch.optim.SGD(net.parameters(), lr=0.1)\n",
    after="opt = torch.optim.SGD(net.parameters(), lr=0.1)\nnet.eval()\nnet.train()\n",
)
def modes_toggled(program: Program) -> Iterator[Mutation]:
    """The model is put into eval mode and back before it trains."""
    for optimizer in optimizers(program):
        if optimizer.owner and "." not in optimizer.owner:
            lines = f"{optimizer.owner}.eval()", f"{optimizer.owner}.train()"
            yield Mutation((program.after(program.statement(optimizer.call), *lines),))
