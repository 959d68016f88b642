"""Treat inputs and labels alike wherever one of them is reordered, shifted or indexed on its own.

Nothing here knows which line is wrong. Every place that changes the order of one of two arrays gives a few
candidate edits; each is run for a few steps, and only one under which labels follow inputs again is tried out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import combinations

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import LearningRate, LossCurve
from stetho.fixes import Cure, Grounds
from stetho.setting import project_files
from stetho.source.code import Code, imported_names, last_name, read, root_name

CURES = ("data/labels-misaligned",)
ORDERS = re.compile(r"randperm|permutation|argsort|shuffle|sample|randint|choice|sort", re.IGNORECASE)
IN_PLACE = ("shuffle",)
REORDERING = ("roll", "flip", "flipud", "fliplr", "sort", "sorted", "permutation", "permuted", "reversed")
LISTINGS = ("listdir", "glob", "iglob", "rglob", "iterdir", "scandir")


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    curve, rate = grounds.get(LossCurve), grounds.get(LearningRate)
    own = [p.file for p in (curve.where if curve else None, *(rate.frames if rate else ())) if p]
    files = list(dict.fromkeys(own + sorted(f for f in project_files(grounds.cwd) if f.endswith(".py"))))
    codes = [c for c in map(read, files) if c is not None]
    for kind in (
        mirrored,
        unordered,
        indexed_alike,
        unshifted_slices,
        unordered_together,
        listed_in_order,
        not_skipped,
    ):
        for code in codes:
            yield from kind(code)


def cure(code: Code, told: str, *changes: tuple[ast.AST, str]) -> Cure:
    lines = [c[0].lineno for c in changes]  # type: ignore[attr-defined]
    edit = Edit(code.file, code.text, code.replaced(*changes), lines[0], told)
    return Cure(told, (edit,), where=tuple(Place(code.file, n) for n in dict.fromkeys(lines)))


def loads(node: ast.AST) -> list[ast.Subscript]:
    return [n for n in ast.walk(node) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load)]


def shallow(statement: ast.stmt) -> ast.AST:
    """A statement without the blocks inside it."""
    if isinstance(statement, (ast.For, ast.While, ast.If, ast.With, ast.FunctionDef, ast.ClassDef, ast.Try)):
        return ast.Module(body=[], type_ignores=[])
    return statement


def indexed_alike(code: Code) -> Iterator[Cure]:
    """Two arrays indexed side by side: give each the other's index."""
    for body in code.bodies():
        for position, statement in enumerate(body):
            near = [s for follower in body[position : position + 3] for s in loads(shallow(follower))]
            first = loads(shallow(statement))
            for one, two in ((a, b) for a in first for b in near if a is not b):
                alike = ast.unparse(one.slice) == ast.unparse(two.slice)
                if (
                    alike
                    or fixed(one.slice)
                    or fixed(two.slice)
                    or ast.unparse(one.value) == ast.unparse(two.value)
                    or nested(one, two)
                ):
                    continue
                for kept, changed in ((one, two), (two, one)):
                    old, new = (
                        code.segment(changed),
                        f"{code.operand(changed.value)}[{code.segment(kept.slice)}]",
                    )
                    yield cure(code, f"{old}  ->  {new}", (changed, new))


def fixed(index: ast.AST) -> bool:
    """An index that names no variable, such as a column or the bounds of a split."""
    return not any(isinstance(n, ast.Name) for n in ast.walk(index))


def nested(one: ast.AST, two: ast.AST) -> bool:
    return any(n is two for n in ast.walk(one)) or any(n is one for n in ast.walk(two))


def order_names(code: Code) -> set[str]:
    """Names that hold an order: made by a permutation, a sort or a draw, or shuffled in place."""
    found: set[str] = set()
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Assign) and any(ORDERS.search(last_name(c.func)) for c in calls(node.value)):
            found.update(ast.unparse(t) for t in node.targets)
        if isinstance(node, ast.Call) and last_name(node.func) in IN_PLACE and node.args:
            found.add(ast.unparse(node.args[0]))
    return found


def calls(node: ast.AST) -> list[ast.Call]:
    return [n for n in ast.walk(node) if isinstance(n, ast.Call)]


def is_order(index: ast.AST, names: set[str]) -> bool:
    return ast.unparse(index) in names or any(ORDERS.search(last_name(c.func)) for c in calls(index))


def partners(code: Code, name: str) -> list[str]:
    """Names that stand beside this one in a call, a tuple or an unpacking."""
    found: dict[str, None] = {}
    for node in ast.walk(code.tree):
        group = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.Tuple) else []
        texts = [ast.unparse(n) for n in group if isinstance(n, (ast.Name, ast.Attribute))]
        if name in texts:
            found.update(dict.fromkeys(t for t in texts if t != name))
    return list(found)


def mirrored(code: Code) -> Iterator[Cure]:
    """`x = x[order]` without its partner: reorder the partner, too."""
    names = order_names(code)
    for statement in (n for n in ast.walk(code.tree) if isinstance(n, ast.Assign)):
        value = statement.value
        if not isinstance(value, ast.Subscript) or not isinstance(value.slice, (ast.Name, ast.Attribute)):
            continue
        base, target = ast.unparse(value.value), ast.unparse(statement.targets[0])
        if not is_order(value.slice, names):
            continue
        for partner in partners(code, base) + partners(code, target):
            line = f"{partner} = {partner}[{ast.unparse(value.slice)}]"
            after = code.with_line((statement.end_lineno or statement.lineno) + 1, statement.col_offset, line)
            edit = Edit(code.file, code.text, after, statement.lineno, f"insert {line}")
            yield Cure(f"insert {line}", (edit,), where=(Place(code.file, statement.lineno),))


def reorderings(code: Code) -> list[tuple[ast.AST, str]]:
    """Every expression that reorders or shifts an array, with what it would be without that."""
    names, modules = order_names(code), imported_names(code.tree)
    found: list[tuple[ast.AST, str]] = []
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            step = node.slice.step if isinstance(node.slice, ast.Slice) else None
            if is_order(node.slice, names) or (step is not None and ast.unparse(step) == "-1"):
                found.append((node, code.operand(node.value)))
        elif isinstance(node, ast.Call) and last_name(node.func) in REORDERING:
            of_module = isinstance(node.func, ast.Name) or root_name(node.func) in modules
            if (of_module and node.args) or (
                isinstance(node.func, ast.Attribute)
                and node.args
                and last_name(node.func) in ("permutation", "permuted")
            ):
                found.append((node, code.operand(node.args[0])))
            elif isinstance(node.func, ast.Attribute) and not of_module:
                found.append((node, code.operand(node.func.value)))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and last_name(node.value.func) in IN_PLACE:
            found.append((node, "pass"))
    return found


def unshifted(code: Code, node: ast.Subscript) -> Iterator[tuple[ast.AST, str]]:
    """`y[i + 1]` becomes `y[i]`; `y[1:]` becomes `y[:-1]` and the other way round."""
    base, index = code.operand(node.value), node.slice
    if isinstance(index, ast.BinOp) and isinstance(index.op, (ast.Add, ast.Sub, ast.Mod)):
        inner = index.left
        while isinstance(inner, ast.BinOp) and isinstance(inner.op, (ast.Add, ast.Sub, ast.Mod)):
            inner = inner.left
        yield node, f"{base}[{code.segment(inner)}]"
    if isinstance(index, ast.Slice) and index.step is None:
        low, high = index.lower, index.upper
        if isinstance(low, ast.Constant) and high is None and low.value:
            yield node, f"{base}[:-{low.value!r}]"
        if low is None and isinstance(high, ast.UnaryOp) and isinstance(high.operand, ast.Constant):
            yield node, f"{base}[{high.operand.value!r}:]"


def unordered(code: Code) -> Iterator[Cure]:
    """Each reordering taken away by itself."""
    for node, new in reorderings(code):
        yield cure(code, f"{code.segment(node)}  ->  {new}", (node, new))


def unshifted_slices(code: Code) -> Iterator[Cure]:
    """Each shift of an index or a slice taken away by itself."""
    for node in loads(code.tree):
        for target, new in unshifted(code, node):
            yield cure(code, f"{code.segment(target)}  ->  {new}", (target, new))


def unordered_together(code: Code) -> Iterator[Cure]:
    """Two reorderings in one file taken away at once: shuffled separately, both have to go."""
    for one, two in combinations(reorderings(code)[:8], 2):
        if not nested(one[0], two[0]):
            told = "; ".join(f"{code.segment(n)}  ->  {new}" for n, new in (one, two))
            yield cure(code, told, one, two)


def listed_in_order(code: Code) -> Iterator[Cure]:
    """A directory listing has no order of its own: sort it."""
    for call in calls(code.tree):
        if last_name(call.func) in LISTINGS:
            old = code.segment(call)
            yield cure(code, f"{old}  ->  sorted({old})", (call, f"sorted({old})"))


def not_skipped(code: Code) -> Iterator[Cure]:
    """A reader told to skip a row of one file and not of the other: skip as many as there, or none."""
    told: dict[tuple[str, str], list[ast.Constant]] = {}
    for call in calls(code.tree):
        for keyword in call.keywords:
            if isinstance(keyword.value, ast.Constant) and type(keyword.value.value) is int:
                told.setdefault((last_name(call.func), keyword.arg or ""), []).append(keyword.value)
    for (_, name), values in told.items():
        others = {v.value for v in values} | {0}
        for value in values:
            for new in sorted(others - {value.value}, key=str):
                if isinstance(value.value, int) and 0 <= value.value <= 3:
                    yield cure(code, f"{name}={value.value}  ->  {name}={new!r}", (value, repr(new)))
