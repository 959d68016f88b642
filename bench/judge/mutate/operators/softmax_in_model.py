from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.models import forwards, outer
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import last, losses, unit


@fault(
    "loss/double-softmax",
    before=(
        "class Net(nn.Module):\n"
        "    def forward(self, x):\n"
        "        return self.out(x)\n"
        "\n"
        "\n"
        "loss = F.cross_entropy(net(x), y)\n"
    ),
    after=(
        "class Net(nn.Module):\n"
        "    def forward(self, x):\n"
        "        return self.out(x).softmax(-1)\n"
        "\n"
        "\n"
        "loss = F.cross_entropy(net(x), y)\n"
    ),
)
def softmax_in_model(program: Program) -> Iterator[Mutation]:
    """The model ends with a softmax although its loss expects logits."""
    if not any(losses(program, "cross_entropy")):
        return
    model = outer(program)
    for forward in forwards(program):
        given = forward.body[-1]
        if (
            forward in getattr(model, "body", ())
            and isinstance(given, ast.Return)
            and isinstance(given.value, ast.Call)
        ):
            yield Mutation((program.replace(given.value, program.text(given.value) + ".softmax(-1)"),))
    end = model.args[-1] if isinstance(model, ast.Call) and model.args else None
    if isinstance(end, ast.Call) and last(end.func) == "Linear":
        softmax = f", {unit(program, end)}.Softmax(dim=-1)"
        yield Mutation((program.replace(end, program.text(end) + softmax),))
