from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import backwards, steps


@fault(
    "train/missing-step",
    "train/params-not-optimized",
    before=(
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for x, y in loader:\n"
        "    opt.zero_grad()\n"
        "    loss = F.mse_loss(net(x), y)\n"
        "    loss.backward()\n"
        "    opt.step()\n"
    ),
    after=(
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for x, y in loader:\n"
        "    opt.zero_grad()\n"
        "    loss = F.mse_loss(net(x), y)\n"
        "    loss.backward()\n"
    ),
)
def missing_step(program: Program) -> Iterator[Mutation]:
    """The optimizer never steps."""
    for step in steps(program):
        if not step.value.args:
            yield Mutation((program.remove(step),), tuple(backwards(program)))
