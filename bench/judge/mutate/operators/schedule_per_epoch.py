from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import loops, schedule_steps, steps


@fault(
    "train/scheduler-unit",
    "train/lr-collapsed",
    "hp/lr-too-low",
    before=(
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "sched = OneCycleLR(opt, 1, 900)\n"
        "for e in range(9):\n"
        "    for x in loader:\n"
        "        opt.step()\n"
        "        sched.step()\n"
    ),
    after=(
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "sched = OneCycleLR(opt, 1, 900)\n"
        "for e in range(9):\n"
        "    for x in loader:\n"
        "        opt.step()\n"
        "    sched.step()\n"
    ),
)
def schedule_per_epoch(program: Program) -> Iterator[Mutation]:
    """A schedule that counts batches is stepped once per epoch."""
    for stepped in schedule_steps(program):
        around = loops(program, stepped)
        beside = any(step in program.block(stepped) for step in steps(program))
        if beside and len(around) > 1 and program.parents[stepped] is around[0]:
            yield Mutation((program.remove(stepped), program.after(around[0], program.text(stepped))))
