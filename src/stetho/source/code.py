"""One Python file of the user's: its tree, and edits that leave every other character as it was."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from stetho import edited

Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True)
class Code:
    """A file that parses. Offsets are counted in the encoded text, as the syntax tree does."""

    file: str
    text: str
    tree: ast.Module

    def span(self, node: ast.AST) -> tuple[int, int]:
        starts = self._line_starts()
        first = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        last = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
        return first, last

    def _line_starts(self) -> list[int]:
        starts, position = [], 0
        for line in self.text.encode("utf-8", "surrogateescape").splitlines(keepends=True):
            starts.append(position)
            position += len(line)
        return starts

    def segment(self, node: ast.AST) -> str:
        first, last = self.span(node)
        return self.text.encode("utf-8", "surrogateescape")[first:last].decode("utf-8", "surrogateescape")

    def replaced(self, *changes: tuple[ast.AST, str]) -> str:
        """The text with some nodes written differently."""
        data = self.text.encode("utf-8", "surrogateescape")
        for node, new in sorted(changes, key=lambda c: self.span(c[0]), reverse=True):
            first, last = self.span(node)
            data = data[:first] + new.encode("utf-8", "surrogateescape") + data[last:]
        return data.decode("utf-8", "surrogateescape")

    def with_line(self, before_line: int, indent: int, statement: str) -> str:
        """The text with one statement more, in front of a line, indented as its neighbours are."""
        lines = lines_of(self.text)
        ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
        if before_line > len(lines) and lines and not lines[-1].endswith(("\n", "\r")):
            lines[-1] += ending
        near = [lines[i] for i in (before_line - 1, *range(before_line - 2, -1, -1)) if 0 <= i < len(lines)]
        leading = (line[: len(line) - len(line.lstrip(" \t"))] for line in near if line.strip())
        pad = next((found for found in leading if len(found) == indent), " " * indent)
        lines.insert(before_line - 1, f"{pad}{statement}{ending}")
        return "".join(lines)

    def starts_its_line(self, statement: ast.stmt) -> bool:
        first = self.span(statement)[0]
        line = self._line_starts()[statement.lineno - 1]
        return not self.text.encode("utf-8", "surrogateescape")[line:first].strip()

    def statements_on(self, line: int) -> list[ast.stmt]:
        """Simple statements that begin on a line; several when semicolons part them."""
        return [s for s in self.on_line(line, ast.stmt) if s.lineno == line and not isinstance(s, COMPOUND)]

    def operand(self, node: ast.AST) -> str:
        """An expression that can be pasted anywhere: in parentheses unless it is one thing."""
        simple = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.List, ast.Tuple, ast.Dict)
        text = self.segment(node)
        return text if isinstance(node, simple) else f"({text})"

    def on_line(self, line: int, kind: type[Node]) -> list[Node]:
        """Nodes of one kind that begin, run over or end at a line, outermost first."""
        found = [
            n
            for n in ast.walk(self.tree)
            if isinstance(n, kind) and n.lineno <= line <= (n.end_lineno or n.lineno)  # type: ignore[attr-defined]
        ]
        return sorted(found, key=lambda n: self.span(n)[0] - self.span(n)[1])

    def statement_at(self, line: int) -> ast.stmt | None:
        """The smallest statement that covers a line."""
        found = self.on_line(line, ast.stmt)
        return found[-1] if found else None

    def calls_at(self, line: int) -> list[ast.Call]:
        """Calls of the statement at a line; a call spread over several lines is found from any of them."""
        statement = self.statement_at(line)
        if statement is None:
            return []
        if isinstance(statement, COMPOUND):
            inside = {n for part in blocks(statement) for s in part for n in ast.walk(s)}
            return [n for n in self.on_line(line, ast.Call) if n not in inside]
        return [n for n in ast.walk(statement) if isinstance(n, ast.Call)]

    def function_at(self, line: int) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        found = self.on_line(line, ast.FunctionDef)
        return found[-1] if found else None

    def bodies(self) -> Iterator[list[ast.stmt]]:
        """Every list of statements in the file."""
        for node in ast.walk(self.tree):
            yield from blocks(node)


COMPOUND = (
    ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try, ast.Match,
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef,
)  # fmt: skip


def lines_of(text: str) -> list[str]:
    """Lines as Python counts them: by line feeds and carriage returns alone, not by every separator of Unicode."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text)


def read(file: str) -> Code | None:
    """The file's code, or None when it cannot be read or does not parse."""
    try:
        text = edited.content(file).decode("utf-8", "surrogateescape")
        return Code(file, text, ast.parse(text))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements directly inside a node."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        block = getattr(node, field, None)
        if isinstance(block, list) and block:
            if isinstance(block[0], ast.stmt):
                yield block
            elif isinstance(block[0], (ast.ExceptHandler, ast.match_case)):
                for part in block:
                    yield part.body


def last_name(node: ast.AST) -> str:
    """The last part of a dotted name: `cross_entropy` of `F.cross_entropy`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def imported_names(tree: ast.Module) -> set[str]:
    """Names that stand for modules in this file."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update((a.asname or a.name).split(".")[0] for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.update(a.asname or a.name for a in node.names)
    return names


def root_name(node: ast.AST) -> str:
    """The first part of a dotted name: `F` of `F.cross_entropy`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def mentions(node: ast.AST, text: str) -> bool:
    """Whether an expression such as `self.opt` occurs in a piece of code."""
    return any(isinstance(n, (ast.Name, ast.Attribute)) and ast.unparse(n) == text for n in ast.walk(node))
