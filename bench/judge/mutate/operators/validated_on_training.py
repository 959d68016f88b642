from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program


@fault(
    "data/split-leakage",
    before="xv, yv = x[900:], y[900:]\n",
    after="xv, yv = x[:900], y[:900]\n",
    effect="better",
)
def validated_on_training(program: Program) -> Iterator[Mutation]:
    """The validation samples are the training samples."""
    cuts: dict[str, list[ast.Subscript]] = {}
    for node in program.nodes:
        cut = node.slice if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) else None
        if cut is not None and cut.lower is not None and cut.upper is None and len(program.text(cut.lower)) > 2:
            cuts.setdefault(program.text(cut.lower), []).append(node)
    for cut, held in cuts.items():
        edits = tuple(program.replace(node.slice, f":{cut}") for node in held)
        if len(held) > 1 and not any(edit.text.startswith(":-") for edit in edits):
            yield Mutation(edits)
