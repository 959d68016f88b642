from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import backwards, receiver


@preserving(
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
        "    loss.backward()\n"
        "    watched = loss.detach().item()\n"
        "    opt.step()\n"
    ),
)
def loss_watched(program: Program) -> Iterator[Mutation]:
    """A detached copy of the loss is looked at."""
    for call in backwards(program):
        value = receiver(call)
        if isinstance(value, ast.Name) and not call.args:
            yield Mutation((program.after(program.parents[call], f"watched = {value.id}.detach().item()"),))
