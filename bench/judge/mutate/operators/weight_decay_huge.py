from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.literals import written
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import added, keyword, optimizers, settings


@fault(
    "hp/weight-decay-too-high",
    "arch/over-regularized",
    before="opt = torch.optim.SGD(net.parameters(), lr=0.1)\n",
    after="opt = torch.optim.SGD(net.parameters(), lr=0.1, weight_decay=1.0)\n",
)
def weight_decay_huge(program: Program) -> Iterator[Mutation]:
    """The weights are pulled to zero harder than the data pulls them away."""
    # AdamW's decay is multiplied with its small rate, that of the others goes through the gradient.
    for call, decay in settings(program, "", "weight_decay"):
        yield Mutation((program.replace(written(program, decay) or decay, "30.0"),), (call,))
    for optimizer in optimizers(program):
        decay = keyword(optimizer.call, "weight_decay")
        amount = "30.0" if optimizer.name == "AdamW" else "1.0"
        if decay is not None:
            where = written(program, decay.value) or decay.value
            yield Mutation((program.replace(where, amount),), (optimizer.call,))
        elif optimizer.name != "LBFGS":
            yield Mutation((added(program, optimizer.call, f"weight_decay={amount}"),))
