"""Let frozen parameters ask for gradients."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import Frozen
from stetho.fixes import Cure, Grounds
from stetho.source.code import Code, last_name, read

CURES = ("train/params-frozen",)


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    found = grounds.get(Frozen)
    for place in found.switches if found is not None else ():
        code = read(place.file)
        if code is not None and place.line is not None:
            yield from thawed(code, place.line)


def thawed(code: Code, line: int) -> Iterator[Cure]:
    """`requires_grad = False` and `requires_grad_(False)` become True."""
    for node in [*code.on_line(line, ast.stmt), *code.on_line(line, ast.expr)]:
        off: list[ast.expr | None] = []
        if isinstance(node, ast.Assign) and any(last_name(target) == "requires_grad" for target in node.targets):
            off = [node.value]
        elif isinstance(node, ast.Call) and last_name(node.func) == "requires_grad_":
            off = [*node.args, *(k.value for k in node.keywords)]
        elif isinstance(node, ast.Call):
            off = [k.value for k in node.keywords if k.arg == "requires_grad"]
        for value in off:
            if isinstance(value, ast.Constant) and value.value is False:
                told = f"{code.segment(node)}  ->  True"
                change = Edit(code.file, code.text, code.replaced((value, "True")), value.lineno, told)
                yield Cure(told, (change,), where=(Place(code.file, value.lineno),))
