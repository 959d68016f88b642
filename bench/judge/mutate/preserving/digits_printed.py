from __future__ import annotations

import re
from collections.abc import Iterator

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls


@preserving(
    before='print(f"loss {loss:.4f}")\n',
    after='print(f"loss {loss:.6f}")\n',
)
def digits_printed(program: Program) -> Iterator[Mutation]:
    """Numbers are printed with more digits."""
    for call in calls(program, "print"):
        text = program.text(call)
        if re.search(r":[+\d]*\.\df\}", text):
            yield Mutation((program.replace(call, re.sub(r"(:[+\d]*\.)\d(f\})", r"\g<1>6\2", text)),))
