"""Where a number that is in force comes from, and how it is changed there: command, call, code or config."""

from __future__ import annotations

import ast
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stetho import edited
from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.fixes import Cure, Grounds
from stetho.source.code import Code, lines_of, read

CONFIGS = (".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".env")
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
MOST_FILES = 300
LARGEST_CONFIG = 1_000_000


@dataclass(frozen=True)
class Setting:
    """A number that the run had, and the one it is to have."""

    old: float
    new: float
    words: str
    """What people call it, as a pattern: a line that says so comes first."""
    frames: Sequence[Place] = ()
    """The user's frames in which it was taken, innermost first."""
    near: float = 1e-9
    """How far what is written may be from what was measured, as a share."""
    scales_rate: bool = False
    """Whether it is the learning rate, whose value in force tells whether the edit took effect."""

    def same(self, text: str) -> bool:
        try:
            return math.isclose(float(text), self.old, rel_tol=self.near)
        except ValueError:
            return False

    def cure(self, told: str, **more: object) -> Cure:
        return Cure(told, scales_rate=self.new / self.old if self.scales_rate else None, **more)  # type: ignore[arg-type]


def changed(grounds: Grounds, setting: Setting) -> Iterator[Cure]:
    """The number changed on the command, at the call that takes it, or in the project; likeliest first."""
    yield from on_the_command(grounds, setting)
    for place in setting.frames[:3]:
        yield from at_the_call(place, setting)
    yield from in_the_project(grounds.cwd, setting)


def on_the_command(grounds: Grounds, setting: Setting) -> Iterator[Cure]:
    for index, argument in enumerate(grounds.command[1:], 1):
        head, sign, value = argument.rpartition("=")
        if setting.same(value):
            command = (*grounds.command[:index], f"{head}{sign}{setting.new:g}", *grounds.command[index + 1 :])
            flag = head or (grounds.command[index - 1] if index > 1 else "")
            yield setting.cure(f"{flag} {value}  ->  {setting.new:g}".strip(), command=command, kind="command")


def at_the_call(place: Place, setting: Setting) -> Iterator[Cure]:
    code = read(place.file)
    if code is None or place.line is None:
        return
    for call in code.calls_at(place.line):
        for node in literals(call, setting):
            yield literal_changed(code, node, setting)


def literals(tree: ast.AST, setting: Setting) -> list[ast.Constant]:
    return [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Constant) and type(n.value) in (int, float) and setting.same(str(n.value))
    ]


def literal_changed(code: Code, node: ast.Constant, setting: Setting) -> Cure:
    told = f"{code.segment(node)}  ->  {setting.new:g}"
    edit = Edit(code.file, code.text, code.replaced((node, f"{setting.new:g}")), node.lineno, told)
    return setting.cure(told, edits=(edit,), where=(Place(code.file, node.lineno),))


def in_the_project(cwd: str, setting: Setting) -> Iterator[Cure]:
    """Numbers of that value anywhere in the project; those beside the words for it first."""
    found: list[tuple[int, Cure]] = []
    own = {p.file for p in setting.frames}
    for file in sorted(project_files(cwd) | own):
        if file.endswith(".py"):
            code = read(file)
            for node in literals(code.tree, setting) if code else ():
                assert code is not None
                line = lines_of(code.text)[node.lineno - 1]
                found.append((_rank(setting, line, file in own), literal_changed(code, node, setting)))
        else:
            found += [(_rank(setting, told, False), c) for told, c in in_config(file, setting)]
    for _, cure in sorted(found, key=lambda pair: pair[0]):
        yield cure


def _rank(setting: Setting, line: str, own_file: bool) -> int:
    named = re.search(setting.words, line, re.IGNORECASE) is not None
    return (0 if named else 2) + (0 if own_file else 1)


def in_config(file: str, setting: Setting) -> Iterator[tuple[str, Cure]]:
    try:
        data = edited.content(file)
        text = data.decode("utf-8") if len(data) <= LARGEST_CONFIG else ""
    except (OSError, UnicodeDecodeError):
        return
    for match in NUMBER.finditer(text):
        if setting.same(match.group()):
            line = text.count("\n", 0, match.start()) + 1
            told = f"{match.group()}  ->  {setting.new:g}"
            after = text[: match.start()] + f"{setting.new:g}" + text[match.end() :]
            edit = Edit(file, text, after, line, told)
            cure = setting.cure(told, edits=(edit,), where=(Place(file, line),), kind="config")
            yield text.splitlines()[line - 1], cure


def project_files(cwd: str) -> set[str]:
    found: set[str] = set()
    for folder, folders, files in os.walk(cwd):
        folders[:] = [f for f in folders if not f.startswith(".") and f not in ("venv", "node_modules", "__pycache__")]
        for name in files:
            if name.endswith((".py", *CONFIGS)):
                found.add(os.path.join(folder, name))
                if len(found) >= MOST_FILES:
                    return found
    return found
