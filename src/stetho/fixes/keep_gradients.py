"""Clear the gradients before backward makes them, not after."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import CallOrder, GradientReset
from stetho.fixes import Cure, Grounds
from stetho.source.code import COMPOUND, Code, lines_of, read

CURES = ("train/grads-wiped",)


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    order, reset = grounds.get(CallOrder), grounds.get(GradientReset)
    backward = reset.backward_at if reset is not None else None
    for place in order.clearings if order is not None else ():
        code = read(place.file)
        if code is None or place.line is None:
            continue
        clearing = simple_at(code, place.line)
        for other, before in ((backward, True), (order.step_at if order is not None else None, False)):
            if clearing is not None and other is not None and other.file == place.file and other.line is not None:
                yield from moved(code, clearing, other.line, before=before)


def simple_at(code: Code, line: int) -> ast.stmt | None:
    """The statement at a line, where it stands alone on lines of its own."""
    statement = code.statement_at(line)
    if statement is None or isinstance(statement, COMPOUND) or not isinstance(statement, ast.Expr):
        return None
    alone = code.starts_its_line(statement) and len(code.statements_on(statement.lineno)) == 1
    return statement if alone else None


def moved(code: Code, statement: ast.stmt, line: int, *, before: bool) -> Iterator[Cure]:
    """The statement taken from its place and put in front of another one of the same function, or behind it."""
    other = code.statement_at(line)
    if other is None or isinstance(other, COMPOUND) or other is statement or not code.starts_its_line(other):
        return
    if code.function_at(line) is not code.function_at(statement.lineno):
        return
    lines = lines_of(code.text)
    if not lines[-1].endswith(("\n", "\r")):
        lines[-1] += "\n"
    first, last = statement.lineno - 1, statement.end_lineno or statement.lineno
    alone = any(body == [statement] for body in code.bodies())
    indent = lines[first][: len(lines[first]) - len(lines[first].lstrip(" \t"))]
    text = code.segment(statement)
    at = lines[other.lineno - 1]
    pad = at[: len(at) - len(at.lstrip(" \t"))]
    target = other.lineno - 1 if before else (other.end_lineno or other.lineno)
    rest = {*range(first, last)}
    after = []
    for number, one in enumerate([*lines, ""]):
        if number == target:
            after.append(f"{pad}{text}\n")
        if number == first and alone:
            after.append(f"{indent}pass\n")
        if number not in rest:
            after.append(one)
    told = f"{text}  {'before' if before else 'after'}  {code.segment(other).splitlines()[0]}"
    change = Edit(code.file, code.text, "".join(after), statement.lineno, told)
    yield Cure(told, (change,), where=(Place(code.file, statement.lineno), Place(code.file, other.lineno)))
