"""Move the call of a schedule from the loop over batches to just behind it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import CallOrder
from stetho.fixes import Cure, Grounds
from stetho.source.code import Code, last_name, lines_of, read

CURES = ("train/scheduler-unit",)


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    order = grounds.get(CallOrder)
    for one in order.schedulers if order is not None else ():
        place = one.stepped_at
        code = read(place.file) if place is not None and one.unit == "step" else None
        if code is not None and place is not None and place.line is not None:
            yield from moved(code, place.line)


def moved(code: Code, line: int) -> Iterator[Cure]:
    """The statement that calls the schedule, behind the innermost loop around it."""
    call = code.statement_at(line)
    # A value that is given, such as a metric, may not be known behind the loop.
    if not isinstance(call, ast.Expr) or not isinstance(call.value, ast.Call) or call.value.args:
        return
    if last_name(call.value.func) != "step" or call.lineno != call.end_lineno:
        return
    around = [n for n in ast.walk(code.tree) if isinstance(n, ast.For) and call in n.body and len(n.body) > 1]
    if not around or not code.starts_its_line(call) or len(code.statements_on(call.lineno)) > 1:
        return
    loop, lines = around[0], lines_of(code.text)
    text, end = code.segment(call), loop.end_lineno or loop.lineno
    kept = lines[: call.lineno - 1] + lines[call.lineno : end]
    if kept and not kept[-1].endswith("\n"):
        kept[-1] += "\n"
    after = "".join([*kept, " " * loop.col_offset + text + "\n", *lines[end:]])
    told = f"call {text} behind the loop of line {loop.lineno}"
    change = Edit(code.file, code.text, after, call.lineno, told)
    yield Cure(told, (change,), where=(Place(code.file, call.lineno),))
