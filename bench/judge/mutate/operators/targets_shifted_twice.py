from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.datasets import tokens
from bench.judge.mutate.models import shifted
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program


@fault(
    "loss/label-shift",
    before="emb = nn.Embedding(9, 4)\nx, y = seq[:, :-1], seq[:, 1:]\n",
    after="emb = nn.Embedding(9, 4)\nx, y = seq[:, :-2], seq[:, 2:]\n",
)
def targets_shifted_twice(program: Program) -> Iterator[Mutation]:
    """The token after the next is predicted."""
    for behind, ahead in shifted(program) if tokens(program) else ():
        further = program.text(ahead).replace("1:", "2:"), program.text(behind).replace(":-1", ":-2")
        yield Mutation((program.replace(behind, further[1]), program.replace(ahead, further[0])))
