"""Where a number that is in force comes from, and how it is changed there: command, call, code or config."""

from __future__ import annotations

import ast
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from stetho import edited
from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import Fact, Optimizers
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
    of: Literal["", "rate", "decay"] = ""
    """Whether it is the learning rate or the weight decay: the one in force tells whether the edit took effect."""

    def same(self, text: str) -> bool:
        try:
            return math.isclose(float(text), self.old, rel_tol=self.near)
        except ValueError:
            return False

    def called(self, text: str) -> bool:
        return re.search(self.words, text, re.IGNORECASE) is not None

    def cure(self, told: str, **more: object) -> Cure:
        scales = {f"scales_{self.of}": self.new / self.old} if self.of else {}
        return Cure(told, **scales, **more)  # type: ignore[arg-type]


def changed(grounds: Grounds, setting: Setting) -> Iterator[Cure]:
    """The number changed on the command, at the call that takes it, or in the project; likeliest first."""
    yield from on_the_command(grounds, setting)
    for place in setting.frames[:3]:
        yield from at_the_call(place, setting)
    yield from in_the_project(grounds.cwd, setting)


def decay_scaled(was: Optimizers | None, now: Fact, factor: float) -> bool:
    """Whether an optimizer's weight decay is the factor times its old one, and the rates of all are the old."""
    if was is None or not isinstance(now, Optimizers) or len(was.optimizers) != len(now.optimizers):
        return False
    pairs = list(zip(was.optimizers, now.optimizers, strict=True))
    scaled = [bool(a.decay) and math.isclose((a.decay or 0) * factor, b.decay or 0, rel_tol=0.02) for a, b in pairs]
    return any(scaled) and all(a.rates == b.rates for a, b in pairs)


def on_the_command(grounds: Grounds, setting: Setting) -> Iterator[Cure]:
    found: list[tuple[bool, Cure]] = []
    for index, argument in enumerate(grounds.command[1:], 1):
        head, sign, value = argument.rpartition("=")
        if setting.same(value):
            command = (*grounds.command[:index], f"{head}{sign}{setting.new:g}", *grounds.command[index + 1 :])
            flag = head or (grounds.command[index - 1] if index > 1 else "")
            told = f"{flag} {value}  ->  {setting.new:g}".strip()
            found.append((not setting.called(flag), setting.cure(told, command=command, kind="command")))
    yield from (cure for _, cure in sorted(found, key=lambda pair: pair[0]))


def at_the_call(place: Place, setting: Setting) -> Iterator[Cure]:
    code = read(place.file)
    if code is None or place.line is None:
        return
    for call in code.calls_at(place.line):
        # Of several of that value in one call, the one that goes by its name.
        for node in sorted(literals(call, setting), key=lambda n: not setting.called(named(call, n))):
            yield literal_changed(code, node, setting)


def literals(tree: ast.AST, setting: Setting) -> list[ast.Constant]:
    return [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Constant) and type(n.value) in (int, float) and setting.same(str(n.value))
    ]


def named(tree: ast.AST, literal: ast.Constant) -> str:
    """What the program calls a number where it stands: a keyword, a key, a variable, an option; empty where nothing."""
    return next((name for node in ast.walk(tree) if (name := _name_in(node, literal))), "")


def _name_in(node: ast.AST, literal: ast.Constant) -> str:
    if isinstance(node, ast.Call):
        # An option's own name is the first of the arguments beside its default.
        said = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        return " ".join([word for one in node.keywords if one.value is literal for word in (one.arg or "", *said)])
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return next((ast.unparse(key) for key, value in pairs if value is literal and key is not None), "")
    if isinstance(node, ast.Assign) and node.value is literal:
        return " ".join(ast.unparse(target) for target in node.targets)
    if isinstance(node, ast.AnnAssign) and node.value is literal:
        return ast.unparse(node.target)
    if isinstance(node, ast.arguments):
        last = [*node.posonlyargs, *node.args][-len(node.defaults) or None :]
        given = [*zip(last, node.defaults, strict=False), *zip(node.kwonlyargs, node.kw_defaults, strict=True)]
        return next((argument.arg for argument, default in given if default is literal), "")
    return ""


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
                line = named(code.tree, node) or lines_of(code.text)[node.lineno - 1]
                found.append((_rank(setting, line, file in own), literal_changed(code, node, setting)))
        else:
            found += [(_rank(setting, told, False), c) for told, c in in_config(file, setting)]
    for _, cure in sorted(found, key=lambda pair: pair[0]):
        yield cure


def _rank(setting: Setting, line: str, own_file: bool) -> int:
    return (0 if setting.called(line) else 2) + (0 if own_file else 1)


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
            # Of several numbers in one line, each is called what stands between it and the one before.
            before = re.split(r"[\n,;{]", text[: match.start()])[-1]
            yield before if re.search(r"[A-Za-z]", before) else text.splitlines()[line - 1], cure


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
