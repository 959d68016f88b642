from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.literals import number
from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import argument, calls


@preserving(
    before="torch.manual_seed(7)\n",
    after="torch.manual_seed(107)\n",
)
def seed_changed(program: Program) -> Iterator[Mutation]:
    """The seed is another one."""
    for call in calls(program, "manual_seed", "seed"):
        seed = argument(call, 0)
        if number(seed) is not None:
            yield Mutation((program.replace(seed, str(int(number(seed)) + 100)),))
