from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import optimizers, schedulers, steps


@fault(
    "train/lr-collapsed",
    "train/scheduler-unit",
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
        "scheduler = torch.optim.lr_scheduler.StepLR(opt, step_size=5, gamma=0.5)\n"
        "for x, y in loader:\n"
        "    opt.zero_grad()\n"
        "    loss = F.mse_loss(net(x), y)\n"
        "    loss.backward()\n"
        "    opt.step()\n"
        "    scheduler.step()\n"
    ),
)
def schedule_collapses(program: Program) -> Iterator[Mutation]:
    """A schedule halves the learning rate every few batches, until nothing of it is left."""
    # Beside another schedule, it would not be known which one is at fault.
    for optimizer in optimizers(program) if not any(schedulers(program)) else ():
        for step in steps(program):
            near = program.scope(step) is program.scope(optimizer.call) or optimizer.target.startswith("self.")
            if near and optimizer.target == program.text(step.value.func.value) and isinstance(step, ast.Expr):
                name = "self.scheduler" if optimizer.target.startswith("self.") else "scheduler"
                family = program.text(optimizer.call.func).rpartition(".")[0] or "torch.optim"
                made = f"{name} = {family}.lr_scheduler.StepLR({optimizer.target}, step_size=5, gamma=0.5)"
                built = program.after(program.statement(optimizer.call), made)
                yield Mutation((built, program.after(step, f"{name}.step()")))
