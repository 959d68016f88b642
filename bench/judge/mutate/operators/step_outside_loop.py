from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import loops, steps


@fault(
    "train/missing-step",
    "train/missing-zero-grad",
    "train/accumulation-scale",
    "train/grads-wiped",
    before=(
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for e in range(9):\n"
        "    for x in loader:\n"
        "        opt.zero_grad()\n"
        "        f(x).backward()\n"
        "        opt.step()\n"
    ),
    after=(
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for e in range(9):\n"
        "    for x in loader:\n"
        "        opt.zero_grad()\n"
        "        f(x).backward()\n"
        "    opt.step()\n"
    ),
)
def step_outside_loop(program: Program) -> Iterator[Mutation]:
    """The step stands one level too far out: once per epoch."""
    for step in steps(program):
        around = loops(program, step)
        if len(around) > 1 and program.parents[step] is around[0]:
            yield Mutation((program.remove(step), program.after(around[0], program.text(step))))
