"""A divisor, a root and an exponent are kept from where they fail, in every form they are written in."""

from __future__ import annotations

from pathlib import Path

import pytest

from stetho.evidence import Place
from stetho.facts import NonfiniteOrigin
from stetho.fixes import Grounds, cures

HEAD = "import math\nimport torch\nfrom torch import sqrt\n\ndef f(p, q, n):\n    "
DIVISION, ROOT, OVERFLOW = "num/division-by-zero", "num/sqrt-at-zero", "num/overflow"


def edits(folder: Path, cause: str, expression: str) -> list[str]:
    file = folder / "train.py"
    file.write_text(f"{HEAD}return {expression}\n")
    operation = "mean" if expression.endswith(".mean()") else "div"
    fact = NonfiniteOrigin(step=3, operation=operation, phase="forward", frames=(Place(str(file), 6),))
    found = cures(cause, Grounds({NonfiniteOrigin: fact}, ("python", "train.py"), str(folder)))
    texts = [edit.after for cure in found for edit in cure.edits]
    for text in texts:
        compile(text, "train.py", "exec")
    return [text.removeprefix(f"{HEAD}return ").rstrip("\n") for text in texts]


@pytest.mark.parametrize(
    ("cause", "before", "after"),
    [
        (DIVISION, "p / q.sum(1)", "p / (q.sum(1) + 1e-8)"),
        (DIVISION, "(p - p.mean()) / p.std()", "(p - p.mean()) / (p.std() + 1e-8)"),
        (DIVISION, "torch.div(p, q)", "torch.div(p, (q + 1e-8))"),
        (DIVISION, "p.div(q)", "p.div((q + 1e-8))"),
        (DIVISION, "q.reciprocal()", "(q + 1e-8).reciprocal()"),
        (DIVISION, "p[q > 0].mean()", "p[q > 0].sum() / max(p[q > 0].numel(), 1)"),
        (ROOT, "torch.sqrt(p)", "torch.sqrt((p + 1e-8))"),
        (ROOT, "sqrt(p * q)", "sqrt((p * q + 1e-8))"),
        (ROOT, "p.pow(2).sum(1).sqrt()", "(p.pow(2).sum(1) + 1e-8).sqrt()"),
        (ROOT, "(p * p).sum(1) ** 0.5", "((p * p).sum(1) + 1e-8) ** 0.5"),
        (OVERFLOW, "torch.exp(-p)", "torch.exp((-p).clamp(max=40))"),
        (OVERFLOW, "p.exp().sum()", "p.clamp(max=40).exp().sum()"),
    ],
)
def test_each_form_is_kept_away(tmp_path: Path, cause: str, before: str, after: str) -> None:
    assert edits(tmp_path, cause, before) == [after]


@pytest.mark.parametrize(
    ("cause", "before"),
    [(DIVISION, "p / 3"), (ROOT, "p ** 2"), (ROOT, "math.sqrt(n)"), (OVERFLOW, "math.exp(n)")],
)
def test_what_cannot_fail_is_left(tmp_path: Path, cause: str, before: str) -> None:
    assert edits(tmp_path, cause, before) == []
