from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import schedule_steps, steps


@fault(
    "train/scheduler-unit",
    "train/lr-collapsed",
    before=(
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "sched = StepLR(opt, 4)\n"
        "for e in range(9):\n"
        "    for x in loader:\n"
        "        f(x).backward()\n"
        "        opt.step()\n"
        "    sched.step()\n"
    ),
    after=(
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "sched = StepLR(opt, 4)\n"
        "for e in range(9):\n"
        "    for x in loader:\n"
        "        f(x).backward()\n"
        "        opt.step()\n"
        "        sched.step()\n"
    ),
)
def schedule_per_batch(program: Program) -> Iterator[Mutation]:
    """A schedule that counts epochs is stepped with every batch."""
    for stepped in schedule_steps(program):
        for step in steps(program):
            shared = program.function(step) is program.function(stepped) or program.text(stepped).startswith("self.")
            if step not in program.block(stepped) and shared and not stepped.value.args:
                yield Mutation((program.remove(stepped), program.after(step, program.text(stepped))))
