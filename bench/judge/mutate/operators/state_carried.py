from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.models import forwards
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program


@fault(
    "train/hidden-state-carried",
    "env/exception",
    before=("class Net(nn.Module):\n    def forward(self, x):\n        h, _ = self.rnn(x)\n        return h\n"),
    after=(
        "class Net(nn.Module):\n"
        "    def forward(self, x):\n"
        '        h, self.state = self.rnn(x, getattr(self, "state", None))\n'
        "        return h\n"
    ),
    effect="fails",
)
def state_carried(program: Program) -> Iterator[Mutation]:
    """The recurrent state goes from batch to batch with its graph."""
    for forward in forwards(program):
        for node in ast.walk(forward):
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.targets[0], ast.Tuple)
                and isinstance(node.value, ast.Call)
            ):
                pair = node.targets[0].elts
                if len(pair) == 2 and program.text(pair[1]).startswith("_") and len(node.value.args) == 1:
                    call = program.text(node.value)[:-1] + ', getattr(self, "state", None))'
                    yield Mutation((program.replace(pair[1], "self.state"), program.replace(node.value, call)))
