from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import backwards, imports, receiver


@preserving(
    before="import torch\n\nloss.backward()\n",
    after="import torch\n\ntorch.autograd.backward(loss)\n",
)
def backward_called_otherwise(program: Program) -> Iterator[Mutation]:
    """Gradients are computed by the function instead of by the method."""
    for call in backwards(program):
        if not call.args and not call.keywords and imports(program, call, "torch"):
            yield Mutation((program.replace(call, f"torch.autograd.backward({program.text(receiver(call))})"),))
