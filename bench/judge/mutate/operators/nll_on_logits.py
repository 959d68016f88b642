from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import losses


@fault(
    "loss/missing-activation",
    "loss/wrong-function",
    before="loss = F.cross_entropy(net(x), y)\n",
    after="loss = F.nll_loss(net(x), y)\n",
)
def nll_on_logits(program: Program) -> Iterator[Mutation]:
    """The negative log-likelihood gets raw scores."""
    for loss in losses(program, "cross_entropy"):
        made = loss.call.func if loss.criterion is None else loss.criterion.func
        if isinstance(made, ast.Attribute):
            other = "nll_loss" if loss.criterion is None else "NLLLoss"
            yield Mutation((program.replace(made, f"{program.text(made.value)}.{other}"),), (loss.call,))
