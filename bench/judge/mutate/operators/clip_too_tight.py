from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.literals import scaled
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import argument, calls, has, optimizers, settings, steps, unit


@fault(
    "train/clip-too-tight",
    "hp/lr-too-low",
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
        "for x, y in loader:\n"
        "    opt.zero_grad()\n"
        "    loss = F.mse_loss(net(x), y)\n"
        "    loss.backward()\n"
        "    torch.nn.utils.clip_grad_norm_(net.parameters(), 1e-4)\n"
        "    opt.step()\n"
    ),
)
def clip_too_tight(program: Program) -> Iterator[Mutation]:
    """Clipping leaves next to nothing of every gradient."""
    for call, limit in settings(program, "", "max_grad_norm"):
        yield Mutation((scaled(program, limit, 1e-6),), (call,))
    for call in calls(program, "clip_grad_norm_", "clip_grad_value_"):
        limit = argument(call, 1, "max_norm")
        if limit is not None:
            yield Mutation((scaled(program, limit, 1e-6),), (call,))
    # Optimizers that divide by the size of the gradient do not notice.
    for optimizer in optimizers(program):
        for step in steps(program) if optimizer.name == "SGD" and optimizer.owner else ():
            if not has(program, "clip_grad_norm_") and program.scope(step) is program.scope(optimizer.call):
                clip = f"{unit(program, step)}.utils.clip_grad_norm_({optimizer.owner}.parameters(), 1e-4)"
                yield Mutation((program.before(step, clip),))
