from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls, keyword, last, receiver, training


@fault(
    "arch/norm-misuse",
    "arch/batch-mixing",
    "data/inputs-unnormalized",
    before="u = x / x.norm(dim=-1, keepdim=True)\n",
    after="u = x / x.norm(dim=0, keepdim=True)\n",
)
def norm_wrong_axis(program: Program) -> Iterator[Mutation]:
    """A norm runs over the samples instead of over the features."""
    for call in calls(program, "norm", "normalize"):
        axis = keyword(call, "dim")
        if axis is not None and training(program, call) and program.text(axis.value) in ("1", "-1"):
            yield Mutation((program.replace(axis.value, "0"),))
    for call in calls(program, "mean", "std"):
        divided = program.parents[call]
        axes = [program.text(one) for one in call.args]
        if (
            axes == ["0"]
            and isinstance(divided, ast.BinOp)
            and isinstance(divided.op, ast.Div)
            and last(call.func) == "std"
        ):
            yield Mutation((program.replace(call, f"{program.text(receiver(call))}.std(1, keepdim=True)"),))
