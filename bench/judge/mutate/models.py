"""Models of a program: their classes, the outputs of their inner layers, and their weights before training."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import has, imports, last, optimizers

MODULES = ("Module", "LightningModule")


def models(program: Program) -> Iterator[ast.ClassDef]:
    """Classes of modules."""
    for node in program.nodes:
        if isinstance(node, ast.ClassDef) and any(last(base) in MODULES for base in node.bases):
            yield node


def forwards(program: Program) -> Iterator[ast.FunctionDef]:
    for model in models(program):
        yield from (one for one in model.body if isinstance(one, ast.FunctionDef) and one.name == "forward")


def outer(program: Program) -> ast.ClassDef | ast.Call | None:
    """The model that is trained: its class or its stack of layers, when nothing else can be meant."""
    for optimizer in optimizers(program):
        for node in program.nodes:
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call) or not optimizer.owner:
                continue
            if any(last(one) == optimizer.owner.rpartition(".")[2] for one in node.targets):
                made = last(node.value.func)
                own = [one for one in models(program) if one.name == made]
                return own[0] if own else node.value if made == "Sequential" else None
    classes = list(models(program))
    return classes[0] if len(classes) == 1 else None


def hidden(program: Program) -> Iterator[ast.Call]:
    """Outputs of layers within a model that further layers go on with."""
    for forward in forwards(program):
        for node in ast.walk(forward):
            if not isinstance(node, ast.Call) or not program.text(node.func).startswith("self."):
                continue
            held = program.statement(node)
            wrapped = any(isinstance(one, ast.Call) for one in _up_to(program, node, held))
            if wrapped or (isinstance(held, ast.Assign) and held is not forward.body[-1]):
                yield node


def _up_to(program: Program, node: ast.AST, end: ast.AST) -> Iterator[ast.AST]:
    for one in program.ancestors(node):
        if one is end:
            return
        yield one


def shifted(program: Program) -> Iterator[tuple[ast.Subscript, ast.Subscript]]:
    """Pairs of slices of one sequence, all but its end and all but its begin."""
    found = [node for node in program.nodes if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)]
    for one in found:
        for other in found:
            same = one.value.id == other.value.id and program.scope(one) is program.scope(other)
            texts = program.text(one.slice).replace(" ", ""), program.text(other.slice).replace(" ", "")
            if same and texts in ((":,:-1", ":,1:"), (":-1", "1:"), ("...,:-1", "...,1:")):
                yield one, other


def begun(program: Program, change: str) -> Iterator[Mutation]:
    """What happens to every parameter of a model before its optimizer is made, unless it was loaded."""
    for optimizer in optimizers(program):
        if optimizer.owner and not has(program, "load_state_dict") and imports(program, optimizer.call, "torch"):
            lines = "with torch.no_grad():", f"    for p in {optimizer.owner}.parameters():", f"        {change}"
            yield Mutation((program.before(program.statement(optimizer.call), *lines),))
            return
