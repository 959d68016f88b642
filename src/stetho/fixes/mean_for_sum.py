"""Average a loss over the batch where a call says that it is summed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import LossInputs
from stetho.fixes import Cure, Grounds
from stetho.source.code import Code, read

CURES = ("loss/wrong-reduction",)


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    losses = grounds.get(LossInputs)
    for site in losses.sites if losses else ():
        code = read(site.where.file) if site.where is not None else None
        if not site.trained or site.reduction != "sum" or site.where is None or site.where.line is None or code is None:
            continue
        here = [w for call in code.calls_at(site.where.line) for w in summing(call)]
        everywhere = [w for call in ast.walk(code.tree) if isinstance(call, ast.Call) for w in summing(call)]
        # Said where the loss was made and not where it is called: only one of them can be meant.
        chosen = here[:1] if here else everywhere if len(everywhere) == 1 else []
        for word in chosen:
            yield averaged(code, word)


def summing(call: ast.Call) -> list[ast.expr]:
    """The value of `reduction="sum"` in a call."""
    said = [k.value for k in call.keywords if k.arg == "reduction"]
    return [v for v in said if isinstance(v, ast.Constant) and v.value == "sum"]


def averaged(code: Code, word: ast.expr) -> Cure:
    change = Edit(code.file, code.text, code.replaced((word, '"mean"')), word.lineno, "reduction sum -> mean")
    return Cure('reduction="sum"  ->  reduction="mean"', (change,), where=(Place(code.file, word.lineno),))
