from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls, keyword


@fault(
    "loss/padding-counted",
    "data/label-encoding",
    "env/exception",
    before="loss = F.cross_entropy(net(x), y, ignore_index=0)\n",
    after="loss = F.cross_entropy(net(x), y)\n",
    effect="fails",
)
def padding_counted(program: Program) -> Iterator[Mutation]:
    """Positions that should be left out are trained on."""
    for node in program.nodes:
        blanked = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
        if blanked and program.text(node.value) in ("-1", "-100", "IGNORE", "IGNORE_INDEX"):
            yield Mutation((program.remove(node),), tuple(calls(program, "cross_entropy", "CrossEntropyLoss")))
    for call in calls(program, "cross_entropy", "CrossEntropyLoss", "nll_loss", "NLLLoss"):
        ignored = keyword(call, "ignore_index")
        if ignored is not None:
            kept = [program.text(one) for one in (*call.args, *call.keywords) if one is not ignored]
            yield Mutation((program.replace(call, f"{program.text(call.func)}({', '.join(kept)})"),))
