from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls, last, losses, receiver, training


@fault(
    "loss/missing-activation",
    before="loss = F.nll_loss(torch.log(p + 1e-8), y)\n",
    after="loss = F.nll_loss(p + 1e-8, y)\n",
)
def log_dropped(program: Program) -> Iterator[Mutation]:
    """The log before the negative log-likelihood is gone."""
    if not any(losses(program, "nll_loss", "cross_entropy")):
        return
    for call in calls(program, "log", "log_softmax"):
        if training(program, call) and call.args and last(call.func) == "log":
            if any(call in ast.walk(loss.prediction) for loss in losses(program, "nll_loss")):
                yield Mutation((program.replace(call, program.text(call.args[0])),))
        elif last(call.func) == "log_softmax" and any(losses(program, "nll_loss")):
            kept = call.args[0] if last(receiver(call) or call) in ("F", "functional", "torch") else receiver(call)
            yield Mutation((program.replace(call, program.text(kept)),))
