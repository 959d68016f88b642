"""Clear the gradients once per step, before backward where the optimizer is in sight, else after the step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import GradientReset
from stetho.fixes import Cure, Grounds
from stetho.source.code import COMPOUND, Code, last_name, read

CURES = ("train/missing-zero-grad",)


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    reset = grounds.get(GradientReset)
    if reset is None or reset.step_at is None or reset.step_at.line is None:
        return
    code = read(reset.step_at.file)
    if code is not None:
        yield from called(code)
    receiver = optimizer_expression(code, reset.step_at.line) if code else None
    if code is None or receiver is None:
        return
    backward = reset.backward_at
    line = backward.line if backward is not None and backward.file == reset.step_at.file else None
    if line is not None and code.function_at(line) is code.function_at(reset.step_at.line):
        yield from inserted(code, line, f"{receiver}.zero_grad()", before=True, other=reset.step_at)
    yield from inserted(code, reset.step_at.line, f"{receiver}.zero_grad()", before=False, other=backward)


def called(code: Code) -> Iterator[Cure]:
    """`optimizer.zero_grad` written without parentheses does nothing: call it."""
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Expr) and last_name(node.value) == "zero_grad":
            new = f"{code.segment(node.value)}()"
            change = Edit(code.file, code.text, code.replaced((node.value, new)), node.lineno, f"call {new}")
            yield Cure(f"call {new}", (change,), where=(Place(code.file, node.lineno),))


def optimizer_expression(code: Code, line: int) -> str | None:
    """The expression whose `step` is called, or the optimizer that a scaler steps."""
    for call in code.calls_at(line):
        if last_name(call.func) == "step" and isinstance(call.func, ast.Attribute):
            # `scaler.step(optimizer)`; an optimizer itself may be given a function to evaluate instead.
            given = call.args and isinstance(call.args[0], (ast.Name, ast.Attribute))
            if given and "scal" in ast.unparse(call.func.value).lower():
                return ast.unparse(call.args[0])
            return code.segment(call.func.value)
    return None


def inserted(code: Code, line: int, text: str, *, before: bool, other: Place | None) -> Iterator[Cure]:
    statement = code.statement_at(line)
    if statement is None or isinstance(statement, COMPOUND):
        return
    target = statement.lineno if before else (statement.end_lineno or statement.lineno) + 1
    shared = len(code.statements_on(statement.lineno)) > 1 or not code.starts_its_line(statement)
    if shared:
        old = code.segment(statement)
        after = code.replaced((statement, f"{text}; {old}" if before else f"{old}; {text}"))
    else:
        after = code.with_line(target, statement.col_offset, text)
    where = [Place(code.file, statement.lineno)]
    if other is not None and other.line is not None:
        where.append(Place(other.file, other.line))
    change = Edit(code.file, code.text, after, statement.lineno if shared else target, f"insert {text}")
    yield Cure(
        f"insert {text} {'before' if before else 'after'} line {statement.lineno}",
        (change,),
        where=tuple(where),
    )
