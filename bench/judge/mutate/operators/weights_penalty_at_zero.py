from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import objectives, optimizers


@fault(
    "num/sqrt-at-zero",
    before=(
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for x, y in loader:\n"
        "    opt.zero_grad()\n"
        "    loss = F.mse_loss(net(x), y)\n"
        "    loss.backward()\n"
        "    opt.step()\n"
    ),
    after=(
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "anchor = [p.detach().clone() for p in net.parameters()]\n"
        "for x, y in loader:\n"
        "    opt.zero_grad()\n"
        "    loss = F.mse_loss(net(x), y)\n"
        "    (loss + 1e-4 * sum((p - a).square().sum() for p, a in zip(net.parameters(), anchor)).sqrt()).backward()\n"
        "    opt.step()\n"
    ),
)
def weights_penalty_at_zero(program: Program) -> Iterator[Mutation]:
    """The distance to the first weights is a root, which is taken at exactly zero in the first step."""
    for optimizer, objective in zip(optimizers(program), objectives(program), strict=False):
        near = program.scope(optimizer.call) is program.scope(objective)
        if optimizer.owner and near:
            own = f"{optimizer.owner}.parameters()"
            root = f"sum((p - a).square().sum() for p, a in zip({own}, anchor)).sqrt()"
            yield Mutation(
                (
                    program.after(program.statement(optimizer.call), f"anchor = [p.detach().clone() for p in {own}]"),
                    program.replace(objective, f"({program.text(objective)} + 1e-4 * {root})"),
                ),
                (objective,),
            )
