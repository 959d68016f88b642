from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import losses


@fault(
    "loss/wrong-function",
    "loss/missing-activation",
    before="loss = F.binary_cross_entropy_with_logits(net(x), y)\n",
    after="loss = F.mse_loss(net(x), y)\n",
)
def squared_error_on_logits(program: Program) -> Iterator[Mutation]:
    """Logits, which are cut at zero, are regressed on labels 0 and 1."""
    for loss in losses(program, "binary_cross_entropy_with_logits"):
        made = loss.call.func if loss.criterion is None else loss.criterion.func
        weighted = (loss.criterion or loss.call).keywords
        if isinstance(made, ast.Attribute) and not weighted:
            other = "mse_loss" if loss.criterion is None else "MSELoss"
            yield Mutation((program.replace(made, f"{program.text(made.value)}.{other}"),), (loss.call,))
