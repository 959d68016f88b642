from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import backwards, calls, steps


@fault(
    "train/clip-misplaced",
    before="loss.backward()\nnn.utils.clip_grad_norm_(net.parameters(), 1.0)\nopt.step()\n",
    after="loss.backward()\nopt.step()\nnn.utils.clip_grad_norm_(net.parameters(), 1.0)\n",
)
def clip_after_step(program: Program) -> Iterator[Mutation]:
    """Gradients are clipped when they have been used already, or before they are computed."""
    for call in calls(program, "clip_grad_norm_", "clip_grad_value_"):
        clip = program.statement(call)
        block = program.block(clip)
        lines = program.lines_of(clip)
        for step in steps(program):
            if step in block:
                yield Mutation((program.remove(clip), program.after(step, *lines)))
        for backward in backwards(program):
            if program.parents[backward] in block:
                yield Mutation((program.remove(clip), program.before(program.parents[backward], *lines)))
