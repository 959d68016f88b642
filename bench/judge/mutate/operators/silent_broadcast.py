from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.models import forwards
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import REGRESSION, calls, last, losses, receiver


@fault(
    "loss/silent-broadcast",
    before="net = nn.Linear(3, 1)\nloss = F.mse_loss(net(x).squeeze(1), y)\n",
    after="net = nn.Linear(3, 1)\nloss = F.mse_loss(net(x), y)\n",
)
def silent_broadcast(program: Program) -> Iterator[Mutation]:
    """Predictions and targets differ by an axis of one, and broadcast."""
    narrow = [call for call in calls(program, "Linear") if len(call.args) > 1 and program.text(call.args[1]) == "1"]
    flat = any("squeeze(" in program.text(one) or "flatten(" in program.text(one) for one in forwards(program))
    flat = flat or any(call.args and program.text(call.args[0]) == "0" for call in calls(program, "Flatten"))
    for loss in losses(program, *REGRESSION) if narrow else ():
        squeezed = loss.prediction
        if isinstance(squeezed, ast.Call) and last(squeezed.func) in ("squeeze", "flatten", "view", "reshape"):
            yield Mutation((program.replace(squeezed, program.text(receiver(squeezed))),))
        elif flat:
            yield Mutation((program.replace(loss.target, program.atom(loss.target) + ".unsqueeze(1)"),))
        else:
            yield Mutation((program.replace(squeezed, program.atom(squeezed) + ".flatten()"),))
