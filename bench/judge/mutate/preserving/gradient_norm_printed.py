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
        '    slope = sum(float(p.grad.norm()) for g in opt.param_groups for p in g["params"] if p.grad is not None)\n'
        '    print(f"slope {slope:.5f}")\n'
        "    opt.step()\n"
    ),
)
def gradient_norm_printed(program: Program) -> Iterator[Mutation]:
    """The size of the gradients is printed with every step."""
    for step in steps(program):
        for call in backwards(program):
            if program.parents[call] in program.block(step) and not step.value.args:
                owner = program.text(receiver(step.value))
                every = 'p in g["params"] if p.grad is not None'
                total = f"slope = sum(float(p.grad.norm()) for g in {owner}.param_groups for {every})"
                yield Mutation((program.after(program.parents[call], total, 'print(f"slope {slope:.5f}")'),))
