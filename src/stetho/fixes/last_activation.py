"""Take away an activation in front of a loss whose targets it cannot reach."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stetho.checks.arch.targets_out_of_reach import LIMITS, out_of_reach
from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import OutputRanges
from stetho.fixes import Cure, Grounds
from stetho.source.code import Code, imported_names, last_name, read, root_name

CURES = ("arch/output-range",)
LAYERS = ("Sigmoid", "Tanh", "ReLU", "ReLU6", "Softplus", "Softmax", "Hardtanh", "Hardsigmoid", "Softsign")


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    """Where the prediction is made, innermost line first."""
    ranges = grounds.get(OutputRanges)
    for site in ranges.sites if ranges else ():
        if out_of_reach(site) <= 0:
            continue
        for place in site.produced_at:
            code = read(place.file)
            if code is not None and place.line is not None:
                yield from removed(code, place.line, site.produced_by.rstrip("_"))


def removed(code: Code, line: int, operation: str) -> Iterator[Cure]:
    """The call of the activation replaced by what it is given, or the layer by one that does nothing."""
    for call in code.calls_at(line):
        new = without(code, call, operation)
        if new is not None:
            old = code.segment(call)
            change = Edit(code.file, code.text, code.replaced((call, new)), call.lineno, f"{old} -> {new}")
            yield Cure(f"{old}  ->  {new}", (change,), where=(Place(code.file, call.lineno),))


def without(code: Code, call: ast.Call, operation: str) -> str | None:
    name = last_name(call.func)
    if name in LAYERS and name.lower() == operation:
        if isinstance(call.func, ast.Attribute):
            return f"{code.segment(call.func.value)}.Identity()"
        return "torch.nn.Identity()" if "torch" in imported_names(code.tree) else None
    if name != operation or operation not in LIMITS:
        return None
    of_module = isinstance(call.func, ast.Name) or root_name(call.func) in imported_names(code.tree)
    if of_module and call.args and not isinstance(call.args[0], ast.Starred):
        return code.operand(call.args[0])
    if isinstance(call.func, ast.Attribute) and not of_module and not call.args:
        return code.operand(call.func.value)
    return None
