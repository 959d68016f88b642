from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from bench.judge.mutate.operator import preserving
from bench.judge.mutate.program import Mutation, Program


@preserving(
    before="import math\nimport time\n",
    after="import time\nimport math\n",
)
def imports_swapped(program: Program) -> Iterator[Mutation]:
    """Two imports stand in the other order."""
    for source in program.sources.values():
        for one, other in pairwise(source.tree.body):
            if isinstance(one, ast.Import) and isinstance(other, (ast.Import, ast.ImportFrom)):
                yield Mutation((program.replace(one, program.text(other)), program.replace(other, program.text(one))))
