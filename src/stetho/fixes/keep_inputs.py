"""Take away a step that wipes out what it is given: a product with zero, a clip, zeros in the place of the data."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import InputScale, LossCurve
from stetho.fixes import Cure, Grounds
from stetho.setting import project_files
from stetho.source.code import Code, imported_names, last_name, read, root_name

CURES = ("data/inputs-destroyed",)
CLIPS = ("clip", "clamp", "clip_", "clamp_")
EMPTY = ("zeros_like", "ones_like", "empty_like", "sign")
MOST = 6


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    scale, curve = grounds.get(InputScale), grounds.get(LossCurve)
    own = [p.file for p in (scale.where if scale else None, curve.where if curve else None) if p is not None]
    files = dict.fromkeys([*own, *sorted(f for f in project_files(grounds.cwd) if f.endswith(".py"))])
    count = 0
    for code in filter(None, map(read, files)):
        for node, new in wiping(code):
            told = f"{code.segment(node)}  ->  {new}"
            line = getattr(node, "lineno", 1)
            edit = Edit(code.file, code.text, code.replaced((node, new)), line, told)
            yield Cure(told, (edit,), where=(Place(code.file, line),))
            count += 1
            if count >= MOST:
                return


def wiping(code: Code) -> Iterator[tuple[ast.AST, str]]:
    """Expressions that may wipe out what tells samples apart, and what they are made from; products with zero first."""
    nodes = list(ast.walk(code.tree))
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for zero, other in ((node.left, node.right), (node.right, node.left)):
                if is_zero(zero) and not isinstance(other, (ast.List, ast.Constant)):
                    yield node, code.operand(other)
    modules = imported_names(code.tree)
    for node in nodes:
        if not isinstance(node, ast.Call) or last_name(node.func) not in (*CLIPS, *EMPTY):
            continue
        if isinstance(node.func, ast.Name) or root_name(node.func) in modules:
            if node.args:
                yield node, code.operand(node.args[0])
        elif isinstance(node.func, ast.Attribute):
            yield node, code.operand(node.func.value)


def is_zero(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value == 0
