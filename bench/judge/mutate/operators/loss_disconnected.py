from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import objectives


@fault(
    "loss/disconnected",
    "train/graph-broken",
    before=(
        "for x, y in loader:\n"
        "    opt.zero_grad()\n"
        "    loss = F.mse_loss(net(x), y)\n"
        "    loss.backward()\n"
        "    opt.step()\n"
    ),
    after=(
        "for x, y in loader:\n"
        "    opt.zero_grad()\n"
        "    loss = F.mse_loss(net(x), y)\n"
        "    loss.detach().requires_grad_().backward()\n"
        "    opt.step()\n"
    ),
)
def loss_disconnected(program: Program) -> Iterator[Mutation]:
    """The loss value is cut off from the model and made to look as if it were not."""
    for objective in objectives(program):
        cut = program.atom(objective) + ".detach().requires_grad_()"
        yield Mutation((program.replace(objective, cut),))
