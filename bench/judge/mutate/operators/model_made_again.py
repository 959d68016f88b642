from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import has, optimizers


@fault(
    "train/params-not-optimized",
    before="net = Net(3)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n",
    after="net = Net(3)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nnet = Net(3)\n",
)
def model_made_again(program: Program) -> Iterator[Mutation]:
    """The optimizer holds the weights of a model that was replaced after it was made."""
    for optimizer in optimizers(program) if not has(program, "load_state_dict") else ():
        built = program.statement(optimizer.call)
        for node in program.nodes:
            here = isinstance(node, ast.Assign) and program.scope(node) is program.scope(built)
            if here and program.text(node.targets[0]) == optimizer.owner and isinstance(node.value, ast.Call):
                yield Mutation((program.after(built, *program.lines_of(node)),))
