"""What the fields of a fact mean, read from the texts that stand under them in its class."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from dataclasses import dataclass, fields, is_dataclass
from types import ModuleType

from stetho.facts.fact import Fact

# In reading order, which is the order of the reference page; the last one holds what several families use.
FAMILIES = (
    "loss", "loss_calls", "gradients", "nonfinite", "weights", "data", "held_out", "numbering", "influence", "loading",
    "files", "run", "procedure", "history", "parameters", "start", "ranks", "collectives", "ending", "reported", "log",
    "logged", "motion", "stability", "regression", "checkpoints", "processes", "kernel", "limits", "gpus", "folder",
    "packages", "scheduler", "fact",
)  # fmt: skip


@dataclass(frozen=True)
class Documented:
    """A field with its type and its meaning in words."""

    name: str
    kind: str
    meaning: str


def family(name: str) -> ModuleType:
    return importlib.import_module(f"stetho.facts.{name}")


def records(module: ModuleType) -> list[type]:
    """The classes that a family declares: its facts first, then what they are made of."""
    own = [c for c in vars(module).values() if is_dataclass(c) and isinstance(c, type) and c is not Fact]
    own = [c for c in own if c.__module__ == module.__name__]
    return sorted(own, key=lambda c: not issubclass(c, Fact))


def documented(cls: type) -> tuple[Documented, ...]:
    """The fields of a class; one without a text has an empty meaning."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(body, ast.ClassDef)
    told: dict[str, tuple[str, str]] = {}
    for node, after in zip(body.body, [*body.body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            told[node.target.id] = (in_words(ast.unparse(node.annotation)), " ".join(str(text).split()))
    return tuple(Documented(f.name, *told[f.name]) for f in fields(cls))


def in_words(annotation: str) -> str:
    """A type as people say it: `tuple[float, ...] | None` is a list of float, or none."""
    text = annotation
    while (found := re.search(r"tuple\[([^\[\]]+), \.\.\.\]", text)) is not None:
        text = text.replace(found[0], f"list of {found[1]}")
    return text.replace(" | None", ", or none")
