from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.datasets import tokens
from bench.judge.mutate.models import shifted
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program


@fault(
    "loss/label-shift",
    "data/target-leakage",
    before="emb = nn.Embedding(9, 4)\nx, y = seq[:, :-1], seq[:, 1:]\n",
    after="emb = nn.Embedding(9, 4)\nx, y = seq[:, :-1], seq[:, :-1]\n",
    effect="better",
)
def targets_not_shifted(program: Program) -> Iterator[Mutation]:
    """The next token to predict is the token that is given."""
    for behind, ahead in shifted(program) if tokens(program) else ():
        yield Mutation((program.replace(ahead, program.text(behind)),))
