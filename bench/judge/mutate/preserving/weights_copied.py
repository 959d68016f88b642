from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import backwards, receiver, steps


@preserving(
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
        '    before = [p.detach().clone() for g in opt.param_groups for p in g["params"]]\n'
        "    opt.step()\n"
    ),
)
def weights_copied(program: Program) -> Iterator[Mutation]:
    """A copy of the weights is kept from before each step."""
    for step in steps(program):
        for call in backwards(program):
            if program.parents[call] in program.block(step) and not step.value.args:
                owner = program.text(receiver(step.value))
                copied = f'before = [p.detach().clone() for g in {owner}.param_groups for p in g["params"]]'
                yield Mutation((program.after(program.parents[call], copied),))
