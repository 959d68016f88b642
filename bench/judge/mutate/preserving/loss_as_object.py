from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import CRITERIA, imports, losses


@preserving(
    before="from torch import nn\n\nloss = F.cross_entropy(net(x), y)\n",
    after="from torch import nn\n\nloss = nn.CrossEntropyLoss()(net(x), y)\n",
)
def loss_as_object(program: Program) -> Iterator[Mutation]:
    """A loss function is a criterion object, or the reverse."""
    objects = {name: made for made, name in CRITERIA.items()}
    for loss in losses(program):
        if (
            loss.criterion is None
            and len(loss.call.args) == 2
            and not loss.call.keywords
            and imports(program, loss.call, "nn")
        ):
            yield Mutation((program.replace(loss.call.func, f"nn.{objects[loss.kind]}()"),))
            continue
        plain = loss.criterion is not None and not loss.criterion.args and not loss.criterion.keywords
        if plain and imports(program, loss.call, "torch"):
            yield Mutation((program.replace(loss.call.func, f"torch.nn.functional.{loss.kind}"),))
