from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import clearings, steps


@fault(
    "train/grads-wiped",
    "train/missing-step",
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
        "    loss = F.mse_loss(net(x), y)\n"
        "    loss.backward()\n"
        "    opt.zero_grad()\n"
        "    opt.step()\n"
    ),
)
def grads_wiped(program: Program) -> Iterator[Mutation]:
    """The gradients are cleared after they are computed and before they are used."""
    cleared = list(clearings(program))
    for step in steps(program):
        for clearing in cleared:
            block = program.block(clearing)
            if step in block and block.index(clearing) < block.index(step):
                moved = program.before(step, *program.lines_of(clearing))
                yield Mutation((program.remove(clearing), moved))
