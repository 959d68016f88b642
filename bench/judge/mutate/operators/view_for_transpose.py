from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls, last, receiver, training


@fault(
    "arch/batch-mixing",
    "arch/causal-leak",
    before="k = k.view(B, T, H, D).transpose(1, 2)\n",
    after="k = k.view(B, H, T, D)\n",
)
def view_for_transpose(program: Program) -> Iterator[Mutation]:
    """Axes are renamed instead of exchanged, which mixes what belongs to different samples or positions."""
    for call in calls(program, "transpose", "permute"):
        inner = receiver(call)
        axes = [program.text(one) for one in call.args]
        if not training(program, call) or inner is None:
            continue
        if isinstance(inner, ast.Call) and last(inner.func) in ("view", "reshape") and axes == ["1", "2"]:
            sizes = [program.text(one) for one in inner.args]
            if len(sizes) == 4:
                sizes[1], sizes[2] = sizes[2], sizes[1]
                yield Mutation((program.replace(call, f"{program.text(inner.func)}({', '.join(sizes)})"),))
        elif isinstance(program.parents[call], ast.Attribute) and program.parents[call].attr == "contiguous":
            yield Mutation((program.replace(call, program.atom(inner)),))
        elif axes == ["1", "2"] or len(axes) > 2:
            again = f"{program.atom(inner)}.reshape({program.text(call)}.shape)"
            yield Mutation((program.replace(call, again),))
