from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import backwards, clearings


@fault(
    "train/missing-zero-grad",
    before="for x in loader:\n    opt.zero_grad()\n    f(x).backward()\n    opt.step()\n",
    after="for x in loader:\n    f(x).backward()\n    opt.step()\n",
)
def missing_zero_grad(program: Program) -> Iterator[Mutation]:
    """Nothing clears the gradients, so that every step also follows all earlier batches."""
    for clearing in clearings(program):
        yield Mutation((program.remove(clearing),), tuple(backwards(program)))
