"""Take away the axis of one by which outputs and targets differ, where they meet."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import LossInputs, PlainLoss
from stetho.fixes import Cure, Grounds
from stetho.source.code import Code, read
from stetho.stretching import Shape, silently_stretched

CURES = ("loss/silent-broadcast",)
SIGNS = {"sub": ast.Sub, "mul": ast.Mult}


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    losses, plain = grounds.get(LossInputs), grounds.get(PlainLoss)
    for site in losses.sites if losses else ():
        shapes = site.shape or (), site.target_shape or ()
        if site.trained and site.broadcast and site.where is not None and silently_stretched(*shapes):
            yield from in_call(site.where, *shapes)
    for one in plain.meetings if plain else ():
        if one.where is not None and one.operation in SIGNS and silently_stretched(one.shape, one.data_shape):
            shapes = (one.shape, one.data_shape) if one.left else (one.data_shape, one.shape)
            yield from in_operation(one.where, SIGNS[one.operation], *shapes)


def in_call(place: Place, given: Shape, target: Shape) -> Iterator[Cure]:
    """In the call of a loss, whose first arguments are output and target."""
    code = read(place.file)
    for call in code.calls_at(place.line) if code is not None and place.line is not None else ():
        plain = len(call.args) >= 2 and not any(isinstance(a, ast.Starred) for a in call.args[:2])
        if code is not None and plain:
            yield from squeezed(code, call.args[0], call.args[1], given, target)


def in_operation(place: Place, sign: type[ast.operator], left: Shape, right: Shape) -> Iterator[Cure]:
    """In a difference or a product; of several on the line, none is taken for the one that was seen."""
    code = read(place.file)
    statement = code.statement_at(place.line) if code is not None and place.line is not None else None
    if code is None or statement is None:
        return
    found = [n for n in ast.walk(statement) if isinstance(n, ast.BinOp) and isinstance(n.op, sign)]
    if len(found) == 1:
        yield from squeezed(code, found[0].left, found[0].right, left, right)


def squeezed(code: Code, one: ast.expr, two: ast.expr, first: Shape, second: Shape) -> Iterator[Cure]:
    """The longer of the two without its last axis, where that is one."""
    node, shape, other = (one, first, second) if len(first) > len(second) else (two, second, first)
    if shape != (*other, 1):
        return
    old = code.segment(node)
    new = f"{code.operand(node)}.squeeze(-1)"
    change = Edit(code.file, code.text, code.replaced((node, new)), node.lineno, f"{old} -> {new}")
    yield Cure(f"{old}  ->  {new}", (change,), where=(Place(code.file, node.lineno),))
