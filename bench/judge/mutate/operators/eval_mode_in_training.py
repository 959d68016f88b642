from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls, has, receiver


@fault(
    "train/eval-mode-in-training",
    before="for e in range(9):\n    model.train()\n    fit()\n    model.eval()\n",
    after="for e in range(9):\n    model.eval()\n    fit()\n    model.eval()\n",
)
def eval_mode_in_training(program: Program) -> Iterator[Mutation]:
    """The model is in eval mode while it trains."""
    moody = has(program, "eval", "BatchNorm1d", "BatchNorm2d", "Dropout")
    for call in calls(program, "train"):
        if isinstance(program.parents[call], ast.Expr) and moody:
            yield Mutation((program.replace(call, f"{program.text(receiver(call))}.eval()"),))
