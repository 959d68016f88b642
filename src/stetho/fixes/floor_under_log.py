"""Put a small floor under the input of a logarithm."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import NonfiniteOrigin
from stetho.fixes import Cure, Grounds
from stetho.source.code import Code, imported_names, last_name, read, root_name

CURES = ("num/log-of-zero",)
LOGARITHMS = ("log", "log2", "log10", "log_")
FLOOR = "1e-8"


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    origin = grounds.get(NonfiniteOrigin)
    for place in origin.frames if origin else ():
        code = read(place.file)
        if code is None or place.line is None:
            continue
        changes = [c for call in code.calls_at(place.line) if (c := floored(code, call)) is not None]
        if changes:
            told = "; ".join(f"{code.segment(node)}  ->  {new}" for node, new in changes)
            line = min(node.lineno for node, _ in changes)
            change = Edit(code.file, code.text, code.replaced(*changes), line, told)
            yield Cure(told, (change,), where=(Place(code.file, line),))


def floored(code: Code, call: ast.Call) -> tuple[ast.expr, str] | None:
    """The argument (or receiver) of a logarithm, with the floor put under it."""
    if last_name(call.func) not in LOGARITHMS:
        return None
    of_module = isinstance(call.func, ast.Name) or root_name(call.func) in imported_names(code.tree)
    target = call.args[0] if of_module and call.args else getattr(call.func, "value", None) if not of_module else None
    if not isinstance(target, ast.expr):
        return None
    text = code.segment(target)
    simple = isinstance(target, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    return target, f"{text if simple else f'({text})'}.clamp_min({FLOOR})"
