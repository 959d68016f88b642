"""Let a loader that feeds the training draw its samples in random order."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import Loaders
from stetho.fixes import Cure, Grounds
from stetho.source.code import Code, last_name, read

CURES = ("data/not-shuffled",)


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    loaders = grounds.get(Loaders)
    for one in loaders.loaders if loaders is not None else ():
        # A loader that optimizer steps lie between its beginnings feeds the training.
        if one.shuffle is not False or not one.steps_per_epoch or one.where is None or one.where.line is None:
            continue
        code = read(one.where.file)
        for call in code.calls_at(one.where.line) if code is not None else ():
            change = shuffled(code, call) if code is not None else None
            if code is not None and change is not None:
                told = f"shuffle=True in {last_name(call.func)}(...)"
                edit = Edit(code.file, code.text, code.replaced(change), call.lineno, told)
                yield Cure(told, (edit,), where=(Place(code.file, call.lineno),))


def shuffled(code: Code, call: ast.Call) -> tuple[ast.AST, str] | None:
    """The part of a loader's call to write differently; None for other calls, and where a sampler gives the order."""
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if last_name(call.func) != "DataLoader" or named.keys() & {"sampler", "batch_sampler", None}:
        return None
    if "shuffle" in named:
        return named["shuffle"], "True"
    text = code.segment(call).rstrip()
    inner = text[:-1].rstrip().removesuffix(",")
    return (call, f"{inner}, shuffle=True)") if call.args or call.keywords else None
