from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import schedulers


@fault(
    "train/lr-collapsed",
    before="sched = StepLR(opt, step_size=4, gamma=0.5)\n",
    after="sched = StepLR(opt, step_size=1, gamma=0.05)\n",
)
def decay_too_fast(program: Program) -> Iterator[Mutation]:
    """The decay of the schedule is far too fast."""
    quick = {"step_size": "1", "gamma": "0.05", "T_max": "2", "max_lr": "1e-5", "base_lr": "1e-6", "total_steps": "10"}
    for call in schedulers(program):
        known = [one for one in call.keywords if one.arg in quick]
        edits = tuple(program.replace(one.value, quick[one.arg]) for one in known if one.arg != "total_steps")
        if edits:
            yield Mutation(edits, (call,))
