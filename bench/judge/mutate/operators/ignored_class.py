from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import added, keyword, losses


@fault(
    "loss/wrong-function",
    "loss/metric-mismatch",
    "data/labels-all-ignored",
    "data/class-imbalance",
    before="loss = F.cross_entropy(net(x), y)\n",
    after="loss = F.cross_entropy(net(x), y, ignore_index=0)\n",
)
def ignored_class(program: Program) -> Iterator[Mutation]:
    """The class that the loss ignores is a real one."""
    for loss in losses(program, "cross_entropy", "nll_loss"):
        made = loss.criterion or loss.call
        if keyword(made, "ignore_index") is None:
            yield Mutation((added(program, made, "ignore_index=0"),), (loss.call,))
