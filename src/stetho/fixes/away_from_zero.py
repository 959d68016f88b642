"""Keep a divisor, or what is under a root, away from zero, and an exponent below what overflows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TypeAlias

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import NonfiniteOrigin
from stetho.fixes import Cure, Grounds
from stetho.fixes.floor_under_log import from_torch
from stetho.source.code import COMPOUND, Code, last_name, read

CURES = ("num/division-by-zero", "num/sqrt-at-zero", "num/overflow")
SMALL = "1e-8"
# exp of more is beyond what is left to be squared or summed in float32.
MOST = "40"
Change: TypeAlias = tuple[ast.AST, str]
FUNCTIONS = {
    "num/division-by-zero": ("div", "divide", "true_divide", "div_", "reciprocal", "rsqrt"),
    "num/sqrt-at-zero": ("sqrt", "sqrt_", "rsqrt", "pow"),
    "num/overflow": ("exp", "exp_", "exp2", "expm1", "sinh", "cosh"),
}


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    origin = grounds.get(NonfiniteOrigin)
    for place in origin.frames if origin else ():
        code = read(place.file)
        if code is None or place.line is None:
            continue
        written = mean_of_something if origin and "mean" in origin.operation else WRITTEN[cause]
        found = [c for node in expressions(code, place.line) if (c := written(code, node)) is not None]
        inner = {n for node, _ in found for n in ast.walk(node) if n is not node}
        changes = [(node, new) for node, new in found if node not in inner]
        if changes:
            told = "; ".join(f"{code.segment(node)}  ->  {new}" for node, new in changes)
            line = min(node.lineno for node, _ in changes)  # type: ignore[attr-defined]
            change = Edit(code.file, code.text, code.replaced(*changes), line, told)
            yield Cure(told, (change,), where=(Place(code.file, line),))


def expressions(code: Code, line: int) -> list[ast.AST]:
    """Everything of the statement at a line; of a compound one, what is on the line itself."""
    statement = code.statement_at(line)
    if statement is None:
        return []
    if isinstance(statement, COMPOUND):
        return [n for n in code.on_line(line, ast.expr) if n.lineno == line]
    return list(ast.walk(statement))


def divisor(code: Code, node: ast.AST) -> Change | None:
    """A divisor with a small number added to it."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return None if isinstance(node.right, ast.Constant) else (node.right, f"({code.segment(node.right)} + {SMALL})")
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div) and not isinstance(node.value, ast.Constant):
        return node.value, f"({code.segment(node.value)} + {SMALL})"
    return given(code, node, "num/division-by-zero", divides=True)


def mean_of_something(code: Code, node: ast.AST) -> Change | None:
    """The mean of a selection that may be empty, as a sum over at least one."""
    if not isinstance(node, ast.Call) or node.args or node.keywords or not isinstance(node.func, ast.Attribute):
        return None
    if node.func.attr != "mean" or from_torch(code, node.func) is not None:
        return None
    over = code.operand(node.func.value)
    return node, f"{over}.sum() / max({over}.numel(), 1)"


def root(code: Code, node: ast.AST) -> Change | None:
    """What is under a root, with a small number added to it."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        power = node.right.value if isinstance(node.right, ast.Constant) else None
        below = isinstance(power, float) and 0 < power < 1
        return (node.left, f"({code.segment(node.left)} + {SMALL})") if below else None
    return given(code, node, "num/sqrt-at-zero")


def exponent(code: Code, node: ast.AST) -> Change | None:
    """What goes into an exponential, with a limit."""
    changed = given(code, node, "num/overflow")
    return (changed[0], f"{code.operand(changed[0])}.clamp(max={MOST})") if changed is not None else None


def given(code: Code, node: ast.AST, cause: str, *, divides: bool = False) -> Change | None:
    """The tensor that a function or method of torch's works on, or divides by, with a small number added."""
    if not isinstance(node, ast.Call) or last_name(node.func) not in FUNCTIONS[cause]:
        return None
    module = from_torch(code, node.func)
    if module is False:
        return None
    tensors = [*node.args] if module else [getattr(node.func, "value", None), *node.args]
    at = 1 if divides and last_name(node.func) not in ("reciprocal", "rsqrt") else 0
    target = tensors[at] if at < len(tensors) else None
    return (target, f"({code.segment(target)} + {SMALL})") if isinstance(target, ast.expr) else None


WRITTEN: dict[str, Callable[[Code, ast.AST], Change | None]] = {
    "num/division-by-zero": divisor,
    "num/sqrt-at-zero": root,
    "num/overflow": exponent,
}
