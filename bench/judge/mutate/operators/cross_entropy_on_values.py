from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import keyword, losses


@fault(
    "loss/wrong-function",
    before="loss = F.mse_loss(net(x), y)\n",
    after="loss = F.cross_entropy(net(x), y)\n",
)
def cross_entropy_on_values(program: Program) -> Iterator[Mutation]:
    """Real numbers are fitted with the loss of classes."""
    for loss in losses(program, "mse_loss"):
        made = loss.call.func if loss.criterion is None else loss.criterion.func
        if isinstance(made, ast.Attribute) and not keyword(loss.call, "reduction"):
            other = "cross_entropy" if loss.criterion is None else "CrossEntropyLoss"
            yield Mutation((program.replace(made, f"{program.text(made.value)}.{other}"),), (loss.call,))
