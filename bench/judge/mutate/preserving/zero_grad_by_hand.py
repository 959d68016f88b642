from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import clearings, receiver


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
        "    for group in opt.param_groups:\n"
        '        for p in group["params"]:\n'
        "            p.grad = None\n"
        "    loss = F.mse_loss(net(x), y)\n"
        "    loss.backward()\n"
        "    opt.step()\n"
    ),
)
def zero_grad_by_hand(program: Program) -> Iterator[Mutation]:
    """Gradients are cleared in another of the ways there are."""
    for clearing in clearings(program):
        if isinstance(clearing, ast.Expr) and not clearing.value.args and not clearing.value.keywords:
            owner = program.text(receiver(clearing.value))
            lines = f"for group in {owner}.param_groups:", '    for p in group["params"]:', "        p.grad = None"
            if "opt" in owner or "sgd" in owner:
                yield Mutation((program.before(clearing, *lines), program.remove(clearing)))
            yield Mutation((program.replace(clearing, f"{owner}.zero_grad(set_to_none=True)"),))
