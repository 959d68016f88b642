"""Put a small floor under the input of a logarithm."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import NonfiniteOrigin
from stetho.fixes import Cure, Grounds
from stetho.source.code import Code, last_name, read, root_name

CURES = ("num/log-of-zero",)
LOGARITHMS = ("log", "log2", "log10", "log_")
FLOOR = "1e-8"


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    origin = grounds.get(NonfiniteOrigin)
    for place in origin.frames if origin else ():
        code = read(place.file)
        if code is None or place.line is None:
            continue
        found = [(call, c) for call in code.calls_at(place.line) if (c := floored(code, call)) is not None]
        inner = {n for call, _ in found for n in ast.walk(call) if n is not call}
        changes = [c for call, c in found if call not in inner]
        if changes:
            told = "; ".join(f"{code.segment(node)}  ->  {new}" for node, new in changes)
            line = min(node.lineno for node, _ in changes)
            change = Edit(code.file, code.text, code.replaced(*changes), line, told)
            yield Cure(told, (change,), where=(Place(code.file, line),))


def floored(code: Code, call: ast.Call) -> tuple[ast.expr, str] | None:
    """The argument (or receiver) of a logarithm, with the floor put under it."""
    if last_name(call.func) not in LOGARITHMS:
        return None
    module = from_torch(code, call.func)
    if module is False or (module is None and call.args):
        return None
    target = call.args[0] if module and call.args else getattr(call.func, "value", None) if module is None else None
    if not isinstance(target, ast.expr):
        return None
    return target, f"{code.operand(target)}.clamp_min({FLOOR})"


def from_torch(code: Code, function: ast.expr) -> bool | None:
    """True for a function of torch's, False for another module's, None for a method."""
    root = root_name(function)
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Import) and any((a.asname or a.name.split(".")[0]) == root for a in node.names):
            return any(
                a.name.split(".")[0] == "torch" for a in node.names if (a.asname or a.name.split(".")[0]) == root
            )
        if isinstance(node, ast.ImportFrom) and any((a.asname or a.name) == root for a in node.names):
            return (node.module or "").split(".")[0] == "torch"
    return None if isinstance(function, ast.Attribute) else False
