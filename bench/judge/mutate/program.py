"""A laid-out program as sources and trees, and edits of it that leave everything else byte for byte as it was."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from bench.judge.case import HIDDEN, Place

ATOMS = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.Constant, ast.List, ast.Dict)


class Unfit(Exception):
    """An edit that cannot be made here; the operator has no such site."""


@dataclass(frozen=True)
class Edit:
    """One stretch of a file replaced by other text."""

    file: str
    begin: int
    end: int
    text: str


@dataclass(frozen=True)
class Rewrite:
    """A data file made anew, when it is asked for: the contents differ from seed to seed."""

    file: str
    make: Callable[[], bytes]
    column: str | None = None
    sample: str | None = None


@dataclass(frozen=True)
class Mutation:
    """What is done to a program, and the nodes of it, best first, that a knowledgeable person would point to."""

    edits: tuple[Edit, ...] = ()
    marks: tuple[ast.AST, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()


@dataclass
class Source:
    """One file of code."""

    file: str
    text: str
    tree: ast.Module = field(init=False)

    def __post_init__(self) -> None:
        self.tree = ast.parse(self.text)
        self.lines = self.text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        """Where a position of the tree, counted in bytes, is in the text, counted in characters."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())


class Program:
    """All code of a program that its command reaches, its trees, and where its data is."""

    def __init__(
        self, sources: Mapping[str, str], *, command: Sequence[str] = ("python", "train.py"), folder: Path | None = None
    ) -> None:
        self.command, self.folder = tuple(command), folder
        every = {file: Source(file, text) for file, text in sources.items()}
        self.sources = {file: every[file] for file in reached(every, self.command)}
        self.parents: dict[ast.AST, ast.AST] = {}
        self.home: dict[ast.AST, Source] = {}
        for source in self.sources.values():
            for node in ast.walk(source.tree):
                self.home[node] = source
                self.parents.update((child, node) for child in ast.iter_child_nodes(node))

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes in reading order, but for what is within f-strings, whose positions Python 3.11 gets wrong."""
        return tuple(node for source in self.sources.values() for node in _within(source.tree))

    def text(self, node: ast.AST) -> str:
        begin, end = self.span(node)
        return self.home[node].text[begin:end]

    def atom(self, node: ast.AST) -> str:
        """A node's text, in parentheses where something is to follow it."""
        return self.text(node) if isinstance(node, ATOMS) else f"({self.text(node)})"

    def span(self, node: ast.AST) -> tuple[int, int]:
        source = self.home[node]
        return source.offset(node.lineno, node.col_offset), source.offset(node.end_lineno, node.end_col_offset)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.parents:
            node = self.parents[node]
            yield node

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that holds a node, or is it."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements among which one stands."""
        parent = self.parents[statement]
        for name in ("body", "orelse", "finalbody"):
            if statement in getattr(parent, name, ()):
                return getattr(parent, name)
        raise Unfit("a statement outside of a block")

    def function(self, node: ast.AST) -> ast.FunctionDef | None:
        return next((one for one in self.ancestors(node) if isinstance(one, ast.FunctionDef)), None)

    def scope(self, node: ast.AST) -> ast.AST:
        """The function or module whose names a node sees."""
        return self.function(node) or self.home[node].tree

    def replace(self, node: ast.AST, text: str) -> Edit:
        return Edit(self.home[node].file, *self.span(node), text)

    def indent(self, statement: ast.stmt) -> str:
        source = self.home[statement]
        before = source.lines[statement.lineno - 1][: statement.col_offset]
        if before.strip():
            raise Unfit("a statement that does not begin its line")
        return before

    def before(self, statement: ast.stmt, *lines: str) -> Edit:
        """Lines put before a statement, indented as it is."""
        indent, source = self.indent(statement), self.home[statement]
        at = source.starts[statement.lineno - 1]
        return Edit(source.file, at, at, "".join(f"{indent}{line}\n" for line in lines))

    def after(self, statement: ast.stmt, *lines: str) -> Edit:
        """Lines put after a statement, indented as it is."""
        indent, source = self.indent(statement), self.home[statement]
        end = source.starts[statement.end_lineno]
        rest = source.text[self.span(statement)[1] : end].strip()
        if rest and not rest.startswith("#"):
            raise Unfit("a statement that does not end its line")
        new = "" if source.text[:end].endswith("\n") else "\n"
        return Edit(source.file, end, end, new + "".join(f"{indent}{line}\n" for line in lines))

    def remove(self, statement: ast.stmt) -> Edit:
        """A statement taken out; where it is all there is, something without effect stands for it."""
        source = self.home[statement]
        self.indent(statement)
        begin, end = source.starts[statement.lineno - 1], source.starts[statement.end_lineno]
        rest = source.text[self.span(statement)[1] : end].strip()
        if len(self.block(statement)) == 1 or (rest and not rest.startswith("#")):
            return self.replace(statement, "pass")
        return Edit(source.file, begin, end, "")

    def lines_of(self, statement: ast.stmt) -> list[str]:
        """The lines of a statement without its indentation."""
        indent = self.indent(statement)
        return [line.removeprefix(indent) for line in (indent + self.text(statement)).split("\n")]

    def apply(self, mutation: Mutation) -> dict[str, str]:
        """The changed files, by name."""
        changed = {}
        for file in dict.fromkeys(edit.file for edit in mutation.edits):
            text, done = [], 0
            whole = self.sources[file].text
            for edit in _ordered(mutation, file):
                if edit.begin < done:
                    raise Unfit("edits that overlap")
                text += [whole[done : edit.begin], edit.text]
                done = edit.end
            changed[file] = "".join(text) + whole[done:]
        return changed

    def places(self, mutation: Mutation) -> tuple[Place, ...]:
        """Where the mutated program would be pointed to: marks, then edits, then data files."""
        spots = [(self.home[mark].file, self._moved(mutation, mark)) for mark in mutation.marks]
        shown = [edit for edit in mutation.edits if edit.text.strip()]
        # Where something is only taken out and nothing else is known, it is missing from there.
        spots += [(edit.file, _landed(mutation, edit)) for edit in shown or (() if spots else mutation.edits)]
        texts = {file: source.text for file, source in self.sources.items()} | self.apply(mutation)
        found = [Place(file, texts[file].count("\n", 0, at) + 1) for file, at in spots]
        found += [Place(one.file, column=one.column, sample=one.sample) for one in mutation.rewrites]
        return tuple(dict.fromkeys(found))

    def _moved(self, mutation: Mutation, mark: ast.AST) -> int:
        """Where a node begins in the mutated file; one that is replaced, where what replaces it begins."""
        at, edits = self.span(mark)[0], _ordered(mutation, self.home[mark].file)
        at = min([at, *(edit.begin for edit in edits if edit.begin < at < edit.end)])
        return at + sum(_growth(edit) for edit in edits if edit.end <= at)


def _landed(mutation: Mutation, edit: Edit) -> int:
    """Where the text of an edit begins in the mutated file, blank characters left out."""
    ordered = _ordered(mutation, edit.file)
    earlier = ordered[: ordered.index(edit)]
    return edit.begin + sum(map(_growth, earlier)) + len(edit.text) - len(edit.text.lstrip())


def _growth(edit: Edit) -> int:
    return len(edit.text) - (edit.end - edit.begin)


def _ordered(mutation: Mutation, file: str) -> list[Edit]:
    return sorted((edit for edit in mutation.edits if edit.file == file), key=lambda edit: (edit.begin, edit.end))


def _within(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, ast.JoinedStr):
            yield from _within(child)


def reached(sources: Mapping[str, Source], command: Sequence[str]) -> list[str]:
    """The files that a command runs or imports, the first one first; all when it cannot be told."""
    words = list(command)
    begin = [word for word in words if word in sources]
    if "-m" in words[:-1]:
        begin = [words[words.index("-m") + 1].replace(".", "/") + ".py"]
    queue = [file for file in begin if file in sources]
    if not queue:
        return sorted(sources)
    for file in queue:
        for name in _imported(sources[file].tree, PurePosixPath(file).parent):
            queue += [one for one in (f"{name}.py", f"{name}/__init__.py") if one in sources and one not in queue]
    return queue


def _imported(tree: ast.Module, folder: PurePosixPath) -> Iterator[str]:
    """What a file may import, as paths without their ending, taken from the program's folder and from its own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names, level = [alias.name for alias in node.names], 0
        elif isinstance(node, ast.ImportFrom):
            module, level = node.module or "", node.level
            names = [module, *(f"{module}.{alias.name}".strip(".") for alias in node.names)]
        else:
            continue
        folders = [PurePosixPath(), folder]
        if level:
            folders = [(folder, *folder.parents)[min(level - 1, len(folder.parents))]]
        yield from (str(under / name.replace(".", "/")) for name in names for under in folders)


def read(folder: Path, command: Sequence[str]) -> Program:
    """The program of a folder that a case is laid out in."""
    files = sorted(path for path in folder.rglob("*.py") if path.name not in HIDDEN)
    texts = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}
    return Program(texts, command=command, folder=folder)
