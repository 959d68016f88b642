from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import losses


@fault(
    "loss/double-softmax",
    before="loss = F.cross_entropy(net(x), y)\n",
    after="loss = F.cross_entropy(net(x).softmax(1), y)\n",
)
def softmax_before_loss(program: Program) -> Iterator[Mutation]:
    """Probabilities go into a loss that expects logits."""
    made = {"cross_entropy": ".softmax(1)", "binary_cross_entropy_with_logits": ".sigmoid()"}
    for loss in losses(program, *made):
        squashed = program.atom(loss.prediction) + made[loss.kind]
        yield Mutation((program.replace(loss.prediction, squashed),))
