from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from bench.judge.mutate.literals import number, written
from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls, has, last


@fault(
    "arch/too-small",
    before=("class Net(nn.Module):\n    def __init__(self, hidden=64):\n        self.fc = nn.Linear(3, hidden)\n"),
    after=("class Net(nn.Module):\n    def __init__(self, hidden=1):\n        self.fc = nn.Linear(3, hidden)\n"),
)
def too_narrow(program: Program) -> Iterator[Mutation]:
    """A hidden layer is one unit wide."""
    if has(program, "load_state_dict"):
        return
    for name in ("hidden", "width", "h", "ch", "n_hidden", "hidden_size", "dim", "n_embd"):
        for node in program.nodes:
            if isinstance(node, ast.arg) and node.arg == name:
                width = written(program, ast.Name(name))
                if width is not None:
                    yield Mutation((program.replace(width, "1"),))
                    break
    for first, second in _widths(program):
        yield Mutation((program.replace(first, "1"), program.replace(second, "1")))


def _widths(program: Program) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The outgoing and the ingoing width of two layers that follow each other."""
    for stack in calls(program, "Sequential"):
        layers = [one for one in stack.args if isinstance(one, ast.Call) and last(one.func) == "Linear"]
        for one, other in pairwise(layers):
            if number(one.args[1]) is not None and number(one.args[1]) == number(other.args[0]):
                yield one.args[1], other.args[0]
