from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import losses


@fault(
    "loss/wrong-function",
    before="loss = F.cross_entropy(net(x), y)\n",
    after="loss = (net(x).max(1).values - y.float()).square().mean()\n",
)
def mse_on_class_ids(program: Program) -> Iterator[Mutation]:
    """The largest score is regressed on the class number."""
    for loss in losses(program, "cross_entropy", "nll_loss"):
        score, target = program.atom(loss.prediction), program.atom(loss.target)
        yield Mutation((program.replace(loss.call, f"({score}.max(1).values - {target}.float()).square().mean()"),))
