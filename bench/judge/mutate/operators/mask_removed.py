from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls, last


@fault(
    "arch/causal-leak",
    before="mask = torch.tril(torch.ones(T, T))\n",
    after="mask = torch.ones(T, T)\n",
    effect="better",
)
def mask_removed(program: Program) -> Iterator[Mutation]:
    """Every position sees the future."""
    for call in calls(program, "tril", "triu"):
        if call.args:
            kept = program.text(call.args[0])
            yield Mutation((program.replace(call, kept if last(call.func) == "tril" else f"torch.zeros_like({kept})"),))
    for node in program.nodes:
        if isinstance(node, ast.keyword) and node.arg == "is_causal" and program.text(node.value) == "True":
            yield Mutation((program.replace(node.value, "False"),))
