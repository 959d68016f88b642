"""Draw the batch inside the loop that trains on it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import InputScale, LossCurve
from stetho.fixes import Cure, Grounds
from stetho.source.code import Code, last_name, lines_of, read

CURES = ("data/stale-batch",)
LOOPS = (ast.For, ast.While)


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    scale, curve = grounds.get(InputScale), grounds.get(LossCurve)
    places = [curve.where if curve is not None else None, scale.where if scale is not None else None]
    for file in dict.fromkeys(place.file for place in places if place is not None):
        code = read(file)
        if code is not None:
            yield from gone_through(code)
            yield from drawn_inside(code)


def gone_through(code: Code) -> Iterator[Cure]:
    """`for x, y in [first] * len(loader)`, where `first` is the loader's first batch: go through the loader."""
    firsts = {ast.unparse(a.targets[0]): ast.unparse(a.value.args[0].args[0]) for a in first_batches(code)}  # type: ignore[attr-defined]
    for loop in (n for n in ast.walk(code.tree) if isinstance(n, ast.For)):
        names = {n.id for n in ast.walk(loop.iter) if isinstance(n, ast.Name)}
        for first, loader in firsts.items():
            if first in names:
                told = f"{code.segment(loop.iter)}  ->  {loader}"
                edit = Edit(code.file, code.text, code.replaced((loop.iter, loader)), loop.lineno, told)
                yield Cure(told, (edit,), where=(Place(code.file, loop.lineno),))


def first_batches(code: Code) -> Iterator[ast.Assign]:
    """Assignments of `next(iter(something))` to one name."""
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Call):
            inner = node.value.args[0] if last_name(node.value.func) == "next" and node.value.args else None
            if isinstance(inner, ast.Call) and last_name(inner.func) == "iter" and len(inner.args) == 1:
                yield node


def drawn_inside(code: Code) -> Iterator[Cure]:
    """A draw in front of a loop gives the rows that the loop takes at each turn: draw at each turn."""
    for body in code.bodies():
        for position, loop in enumerate(body):
            if isinstance(loop, LOOPS) and loop.body:
                for statement in reversed(body[max(0, position - 6) : position]):
                    if isinstance(statement, ast.Assign) and draws(statement) and used(statement, loop):
                        yield moved(code, statement, innermost(loop))


def draws(statement: ast.Assign) -> bool:
    """Whether a statement draws row numbers, or takes the first batch of several; data is not made anew."""
    call = statement.value
    if not isinstance(call, ast.Call):
        return False
    inner = call.args[0] if call.args else None
    begins = isinstance(inner, ast.Call) and last_name(inner.func) == "iter"
    return last_name(call.func) in ("randint", "multinomial", "integers") or (last_name(call.func) == "next" and begins)


def innermost(loop: ast.For | ast.While) -> ast.For | ast.While:
    """The loop inside it, where its body is little else."""
    loops = [s for s in loop.body if isinstance(s, LOOPS)]
    return innermost(loops[0]) if len(loops) == 1 else loop


def used(statement: ast.Assign, loop: ast.For | ast.While) -> bool:
    """Whether the loop trains, reads all that a statement makes, row numbers as an index, and writes none of it."""
    made = {n.id for t in statement.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    inside = [n for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name) and n.id in made]
    slices = [n.slice for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Subscript)]
    indexes = {n.id for one in slices for n in ast.walk(one) if isinstance(n, ast.Name)}
    trains = any(isinstance(n, ast.Call) and last_name(n.func) == "backward" for n in ast.walk(loop))
    taken = isinstance(statement.value, ast.Call) and last_name(statement.value.func) == "next"
    whole = trains and bool(made) and {n.id for n in inside} == made
    return whole and not any(isinstance(n.ctx, ast.Store) for n in inside) and (taken or made <= indexes)


def moved(code: Code, statement: ast.Assign, loop: ast.For | ast.While) -> Cure:
    """The statement as the first one of the loop's body, and no longer in front of it."""
    first, end = loop.body[0], statement.end_lineno or statement.lineno
    text = ast.unparse(statement)
    lines = lines_of(code.with_line(first.lineno, first.col_offset, text))
    told = f"{text}, inside the loop"
    edit = Edit(code.file, code.text, "".join(lines[: statement.lineno - 1] + lines[end:]), statement.lineno, told)
    return Cure(told, (edit,), where=(Place(code.file, statement.lineno),))
