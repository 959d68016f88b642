"""Leave a value in the graph: without `detach`, `.data` or `no_grad`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import GraphCuts
from stetho.fixes import Cure, Grounds
from stetho.source.code import Code, last_name, read

CURES = ("train/graph-broken",)
WITHOUT = ("no_grad", "inference_mode")


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    found = grounds.get(GraphCuts)
    for cut in found.cuts if found is not None else ():
        for place in cut.where[:3]:
            code = read(place.file)
            if code is not None and place.line is not None:
                yield from (recorded if cut.kind == "no_grad" else attached)(code, place.line)


def attached(code: Code, line: int) -> Iterator[Cure]:
    """`h.detach()` and `h.data` become `h`."""
    for node in code.on_line(line, ast.expr):
        if isinstance(node, ast.Call) and last_name(node.func) == "detach" and isinstance(node.func, ast.Attribute):
            inner = node.args[0] if node.args else node.func.value
            yield cure(code, node, code.operand(inner))
        elif isinstance(node, ast.Attribute) and node.attr == "data" and isinstance(node.ctx, ast.Load):
            yield cure(code, node, code.operand(node.value))


def recorded(code: Code, line: int) -> Iterator[Cure]:
    """`with torch.no_grad():` around the line, or the same as a decorator, lets gradients through."""
    for node in reversed(code.on_line(line, ast.stmt)):
        given: list[ast.expr] = []
        if isinstance(node, (ast.With, ast.AsyncWith)):
            given = [item.context_expr for item in node.items]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            given = node.decorator_list
        for one in given:
            named = one.func if isinstance(one, ast.Call) else one
            if last_name(named) in WITHOUT:
                owner = f"{code.segment(named.value)}." if isinstance(named, ast.Attribute) else "torch."
                yield cure(code, one, f"{owner}enable_grad()")


def cure(code: Code, node: ast.expr, new: str) -> Cure:
    old = code.segment(node)
    told = f"{old}  ->  {new}"
    change = Edit(code.file, code.text, code.replaced((node, new)), node.lineno, told)
    return Cure(told, (change,), where=(Place(code.file, node.lineno),))
