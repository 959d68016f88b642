from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import losses, objectives


@fault(
    "loss/wrong-reduction",
    "hp/lr-too-high",
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
        "    (loss * len(y)).backward()\n"
        "    opt.step()\n"
    ),
)
def loss_summed(program: Program) -> Iterator[Mutation]:
    """The gradient is that of the sum over the batch, not of its mean."""
    target = next((loss.target for loss in losses(program)), None)
    for objective in objectives(program):
        if isinstance(target, ast.Name) and program.scope(target) is program.scope(objective):
            summed = f"({program.text(objective)} * len({target.id}))"
            yield Mutation((program.replace(objective, summed),))
