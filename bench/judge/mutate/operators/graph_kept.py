from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls, last, receiver, training


@fault(
    "train/hidden-state-carried",
    before=(
        "for x, y in loader:\n"
        "    opt.zero_grad()\n"
        "    loss = F.mse_loss(net(x), y)\n"
        "    loss.backward()\n"
        "    opt.step()\n"
        "    total += loss.item()\n"
    ),
    after=(
        "for x, y in loader:\n"
        "    opt.zero_grad()\n"
        "    loss = F.mse_loss(net(x), y)\n"
        "    loss.backward()\n"
        "    opt.step()\n"
        "    total += loss\n"
    ),
    effect="slow",
)
def graph_kept(program: Program) -> Iterator[Mutation]:
    """The sum of losses keeps every graph alive."""
    for call in calls(program, "item"):
        added = program.parents[call]
        if isinstance(added, ast.AugAssign) and training(program, call) and last(receiver(call)) == "loss":
            yield Mutation((program.replace(call, program.text(receiver(call))),))
