"""Numbers where they are written: an argument, a default of the command line, of a function or of a dataclass."""

from __future__ import annotations

import ast

from bench.judge.mutate.program import Edit, Program
from bench.judge.mutate.vocabulary import keyword, last


def number(node: ast.AST | None) -> float | None:
    """The value of a written number."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return node.value
    return None


def written(program: Program, node: ast.expr) -> ast.Constant | None:
    """The number that an expression stands for, where it is written; none when nobody can tell."""
    if number(node) is not None:
        return node
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return None
    name = last(node)
    option = "--" + name.replace("_", "-")
    if option in program.command or any(word.startswith(option + "=") for word in program.command):
        return None
    found = [one for one in _candidates(program, name) if number(one) is not None]
    return found[0] if len(found) == 1 else None


def _candidates(program: Program, name: str) -> list[ast.expr]:
    """All that may give a name its value."""
    given: list[ast.expr | None] = []
    options = "--" + name.replace("_", "-"), f"--{name}"
    for node in program.nodes:
        if isinstance(node, ast.Assign):
            given += [node.value for one in node.targets if isinstance(one, ast.Name) and one.id == name]
        elif isinstance(node, ast.AnnAssign):
            given.append(node.value if last(node.target) == name else None)
        elif isinstance(node, ast.FunctionDef):
            given += _default(node, name)
        elif isinstance(node, ast.Call) and last(node.func) == "add_argument":
            told = {one.value for one in node.args if isinstance(one, ast.Constant)}
            default = keyword(node, "default")
            given.append(default.value if default is not None and told.intersection(options) else None)
        elif isinstance(node, ast.Call) and not _constructs(node):
            passed = keyword(node, name)
            given.append(passed.value if passed is not None else None)
    return [one for one in given if one is not None]


def _constructs(node: ast.Call) -> bool:
    """Whether a call is torch's own, whose keywords say nothing of the program's names."""
    return isinstance(node.func, ast.Attribute) and "optim" in ast.unparse(node.func)


def _default(function: ast.FunctionDef, name: str) -> list[ast.expr]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = list(zip(reversed(positional), reversed(arguments.defaults), strict=False))
    pairs += [(one, value) for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value]
    return [value for one, value in pairs if one.arg == name]


def scaled(program: Program, node: ast.expr, factor: float) -> Edit:
    """A number made larger or smaller where it is written, or where it is used."""
    where = written(program, node)
    if where is None:
        return program.replace(node, f"{factor:g} * {program.atom(node)}")
    return program.replace(where, plain(number(where) * factor))


def plain(value: float) -> str:
    """A number as people write it."""
    text = f"{value:.6g}"
    return text if "." in text or "e" in text or value != int(value) else text + ".0"
