"""Write the learning rate that worked where the program gets it from: command, call, code or config."""

from __future__ import annotations

import ast
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import LearningRate
from stetho.fixes import Cure, Grounds
from stetho.source.code import Code, lines_of, read

CURES = ("hp/lr-too-high", "hp/lr-too-low")
CONFIGS = (".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".env")
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
MOST_FILES = 300
LARGEST_CONFIG = 1_000_000


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    rate = grounds.get(LearningRate)
    factor = best_factor(grounds)
    if rate is None or factor is None:
        return
    # A schedule starts somewhere below the rate that the program was given; that one is the highest.
    for old in dict.fromkeys((max(rate.values), rate.initial)):
        new = float(f"{old * factor:.3g}")
        yield from on_the_command(grounds, old, new)
        for place in rate.frames[:3]:
            yield from at_the_call(place, old, new)
        yield from in_the_project(grounds.cwd, rate, old, new)


def best_factor(grounds: Grounds) -> float | None:
    """The factor of the control that did best."""
    tried = [
        (x.after, float(x.change.value[1:]))
        for x in grounds.experiments
        if x.change.name == "lr" and x.change.value.startswith("x") and x.outcome in ("symptom-gone", "better")
    ]
    known = [(after, factor) for after, factor in tried if after is not None]
    return min(known)[1] if known else None


def same(text: str, value: float) -> bool:
    try:
        return math.isclose(float(text), value, rel_tol=1e-9)
    except ValueError:
        return False


def on_the_command(grounds: Grounds, old: float, new: float) -> Iterator[Cure]:
    for index, argument in enumerate(grounds.command[1:], 1):
        head, sign, value = argument.rpartition("=")
        if same(value, old):
            changed = (*grounds.command[:index], f"{head}{sign}{new:g}", *grounds.command[index + 1 :])
            flag = head or (grounds.command[index - 1] if index > 1 else "")
            yield Cure(f"{flag} {value}  ->  {new:g}".strip(), command=changed, scales_rate=new / old, kind="command")


def literal_changed(code: Code, node: ast.Constant, new: float) -> Cure:
    assert isinstance(node.value, (int, float))
    old_value = float(node.value)
    told = f"{code.segment(node)}  ->  {new:g}"
    change = Edit(code.file, code.text, code.replaced((node, f"{new:g}")), node.lineno, told)
    return Cure(told, (change,), where=(Place(code.file, node.lineno),), scales_rate=new / old_value)


def literals(tree: ast.AST, value: float) -> list[ast.Constant]:
    return [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Constant) and type(n.value) in (int, float) and same(str(n.value), value)
    ]


def at_the_call(place: Place, old: float, new: float) -> Iterator[Cure]:
    code = read(place.file)
    if code is None or place.line is None:
        return
    for call in code.calls_at(place.line):
        for node in literals(call, old):
            yield literal_changed(code, node, new)


def in_the_project(cwd: str, rate: LearningRate, old: float, new: float) -> Iterator[Cure]:
    """Literals of that value anywhere in the project; those beside the letters "lr" or "rate" first."""
    found: list[tuple[int, Cure]] = []
    own = {p.file for p in rate.frames}
    for file in sorted(project_files(cwd) | own):
        if file.endswith(".py"):
            code = read(file)
            for node in literals(code.tree, old) if code else ():
                assert code is not None
                line = lines_of(code.text)[node.lineno - 1]
                found.append((likelihood(line, file in own), literal_changed(code, node, new)))
        else:
            found += [(likelihood(told, False), c) for told, c in in_config(file, old, new)]
    for _, cure in sorted(found, key=lambda pair: pair[0]):
        yield cure


def likelihood(line: str, own_file: bool) -> int:
    named = re.search(r"lr|rate|alpha|eta|step", line, re.IGNORECASE) is not None
    return (0 if named else 2) + (0 if own_file else 1)


def in_config(file: str, old: float, new: float) -> Iterator[tuple[str, Cure]]:
    try:
        data = Path(file).read_bytes()
        text = data.decode("utf-8") if len(data) <= LARGEST_CONFIG else ""
    except (OSError, UnicodeDecodeError):
        return
    for match in NUMBER.finditer(text):
        if same(match.group(), old):
            line = text.count("\n", 0, match.start()) + 1
            told = f"{match.group()}  ->  {new:g}"
            after = text[: match.start()] + f"{new:g}" + text[match.end() :]
            place = Place(file, line)
            edit = Edit(file, text, after, line, told)
            yield (
                text.splitlines()[line - 1],
                Cure(told, (edit,), where=(place,), scales_rate=new / old, kind="config"),
            )


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
