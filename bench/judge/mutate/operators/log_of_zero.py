from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls, last, receiver


@fault(
    "num/log-of-zero",
    before="h = -(p * torch.log(p + 1e-8)).sum()\n",
    after="h = -(p * torch.log(p)).sum()\n",
)
def log_of_zero(program: Program) -> Iterator[Mutation]:
    """The small number that keeps a log from zero is gone."""
    for call in calls(program, "log"):
        inner = call.args[0] if call.args else receiver(call)
        if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add):
            small = program.text(inner.right)
            if small.lower() in ("eps", "epsilon", "self.eps") or small.startswith("1e-"):
                yield Mutation((program.replace(inner, program.text(inner.left)),))
        elif isinstance(inner, ast.Call) and last(inner.func) in ("clamp", "clamp_min", "clip"):
            yield Mutation((program.replace(inner, program.text(receiver(inner))),))
