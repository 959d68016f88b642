from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.models import hidden
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program


@fault(
    "train/graph-broken",
    "train/params-not-optimized",
    before=("class Net(nn.Module):\n    def forward(self, x):\n        h = self.fc(x)\n        return self.out(h)\n"),
    after=(
        "class Net(nn.Module):\n    def forward(self, x):\n        h = self.fc(x).data\n        return self.out(h)\n"
    ),
)
def data_in_forward(program: Program) -> Iterator[Mutation]:
    """The model goes on with the bare data of a layer's output."""
    for inner in hidden(program):
        yield Mutation((program.replace(inner, program.atom(inner) + ".data"),))
