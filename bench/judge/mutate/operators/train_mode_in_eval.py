from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls, receiver


@fault(
    "train/train-mode-in-eval",
    before="for e in range(9):\n    model.train()\n    fit()\n    model.eval()\n",
    after="for e in range(9):\n    model.train()\n    fit()\n    model.train()\n",
)
def train_mode_in_eval(program: Program) -> Iterator[Mutation]:
    """The model is in train mode while it is validated."""
    for call in calls(program, "eval"):
        if isinstance(program.parents[call], ast.Expr) and not call.args:
            yield Mutation((program.replace(call, f"{program.text(receiver(call))}.train()"),))
    for call in calls(program, "train"):
        if isinstance(program.parents[call], ast.Expr) and len(call.args) == 1:
            yield Mutation((program.replace(call, f"{program.text(receiver(call))}.train()"),))
