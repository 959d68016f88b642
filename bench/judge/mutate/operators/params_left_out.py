from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import has, optimizers


@fault(
    "train/params-not-optimized",
    before="opt = torch.optim.SGD(net.parameters(), lr=0.1)\n",
    after="opt = torch.optim.SGD(list(net.parameters())[-2:], lr=0.1)\n",
)
def params_left_out(program: Program) -> Iterator[Mutation]:
    """The optimizer gets the last layer only."""
    for optimizer in optimizers(program):
        if optimizer.owner and not has(program, "load_state_dict"):
            yield Mutation((program.replace(optimizer.params, f"list({program.text(optimizer.params)})[-2:]"),))
