from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import objectives


@fault(
    "loss/wrong-reduction",
    "hp/lr-too-high",
    "num/exploding-gradients",
    "loss/term-imbalance",
    before=(
        "for x, y in loader:\n"
        "    opt.zero_grad()\n"
        "    loss = F.mse_loss(net(x), y)\n"
        "    loss.backward()\n"
        "    opt.step()\n"
    ),
    after=(
        "for x, y in loader:\n"
        "    opt.zero_grad()\n"
        "    loss = F.mse_loss(net(x), y)\n"
        "    (loss * 1000).backward()\n"
        "    opt.step()\n"
    ),
)
def loss_scaled_up(program: Program) -> Iterator[Mutation]:
    """The loss is a thousand times too large."""
    for objective in objectives(program):
        yield Mutation((program.replace(objective, f"({program.atom(objective)} * 1000)"),))
