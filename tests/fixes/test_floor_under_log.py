"""A floor is put under the logarithm that met a zero, in every form it is written in."""

from __future__ import annotations

from pathlib import Path

import pytest

from stetho.evidence import Place
from stetho.facts import NonfiniteOrigin
from stetho.fixes import Grounds, cures

CAUSE = "num/log-of-zero"
HEAD = "import math\nimport torch\nfrom torch import log\n\ndef entropy(self, p, q):\n    # é\n    "


def edits(folder: Path, text: str, *lines: int) -> list[str]:
    """The texts that the cures would give when the NaN was born at these lines, innermost first."""
    file = folder / "train.py"
    file.write_bytes(text.encode("utf-8"))
    frames = tuple(Place(str(file), line) for line in lines)
    fact = NonfiniteOrigin(step=3, operation="log", phase="forward", frames=frames, input_zeros=2)
    found = []
    for cure in cures(CAUSE, Grounds({NonfiniteOrigin: fact}, ("python", "train.py"), str(folder))):
        [edit] = cure.edits
        assert (edit.file, edit.before) == (str(file), text)
        assert [place.line for place in cure.where] == [edit.line]
        compile(edit.after, "train.py", "exec")
        found.append(edit.after)
    return found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch.log(p)", "torch.log(p.clamp_min(1e-8))"),
        ("log(p)", "log(p.clamp_min(1e-8))"),
        ("torch.log2(p[0])", "torch.log2(p[0].clamp_min(1e-8))"),
        ("torch.log10(self.net(p))", "torch.log10(self.net(p).clamp_min(1e-8))"),
        ("torch.log(p / q)", "torch.log((p / q).clamp_min(1e-8))"),
        ("torch.log(1 - p)", "torch.log((1 - p).clamp_min(1e-8))"),
        ("torch.log(-p)", "torch.log((-p).clamp_min(1e-8))"),
        ("p.log()", "p.clamp_min(1e-8).log()"),
        ("self.p.log10()", "self.p.clamp_min(1e-8).log10()"),
        ("self.net(p).log()", "self.net(p).clamp_min(1e-8).log()"),
        ("p.sum(1).log().mean()", "p.sum(1).clamp_min(1e-8).log().mean()"),
        ("-(p * p.log()).sum()", "-(p * p.clamp_min(1e-8).log()).sum()"),
        ("(p * torch.log(p) + q * q.log())", "(p * torch.log(p.clamp_min(1e-8)) + q * q.clamp_min(1e-8).log())"),
        ("torch.log(\n        p,  # ü\n    )", "torch.log(\n        p.clamp_min(1e-8),  # ü\n    )"),
    ],
)
def test_the_floor_is_under_the_argument_or_the_receiver(tmp_path: Path, before: str, after: str) -> None:
    assert edits(tmp_path, f"{HEAD}return {before}\n", 7) == [f"{HEAD}return {after}\n"]


def test_a_receiver_in_parentheses_keeps_them(tmp_path: Path) -> None:
    [after] = edits(tmp_path, f"{HEAD}return (p * q).log()\n", 7)
    assert after == f"{HEAD}return ((p * q).clamp_min(1e-8)).log()\n"


def test_line_ends_and_tabs_stay(tmp_path: Path) -> None:
    text = "import torch\r\ndef f(p):\r\n\treturn torch.log(p)  # größer\r\n"
    assert edits(tmp_path, text, 3) == [text.replace("(p)  #", "(p.clamp_min(1e-8))  #")]


def test_the_innermost_line_comes_first_and_each_is_tried(tmp_path: Path) -> None:
    text = "import torch\ndef inner(p):\n    return p.log()\ndef outer(p):\n    return torch.log(1 - inner(p))\n"
    assert edits(tmp_path, text, 3, 5) == [
        text.replace("p.log()", "p.clamp_min(1e-8).log()"),
        text.replace("1 - inner(p)", "(1 - inner(p)).clamp_min(1e-8)"),
    ]


@pytest.mark.parametrize("line", ["p.exp()", "torch.log1p(p)", "torch.log_softmax(p, -1)", "torch.log(input=p)", "p"])
def test_a_line_without_a_logarithm_at_zero_is_left_alone(tmp_path: Path, line: str) -> None:
    assert edits(tmp_path, f"{HEAD}return {line}\n", 7) == []


def test_a_logarithm_of_a_number_is_left_alone(tmp_path: Path) -> None:
    text = f"{HEAD}return torch.log(p) / math.log(10)\n"
    assert edits(tmp_path, text, 7) == [text.replace("torch.log(p)", "torch.log(p.clamp_min(1e-8))")]


@pytest.mark.parametrize(
    ("line", "inner", "outer"),
    [
        (
            "torch.log(torch.log(p))",
            "torch.log(torch.log(p.clamp_min(1e-8)))",
            "torch.log(torch.log(p).clamp_min(1e-8))",
        ),
        ("p.log().log()", "p.clamp_min(1e-8).log().log()", "p.log().clamp_min(1e-8).log()"),
    ],
    ids=["functions", "methods"],
)  # fmt: skip
def test_a_logarithm_of_a_logarithm(tmp_path: Path, line: str, inner: str, outer: str) -> None:
    """Either of them or both may get a floor."""
    both = inner.replace(".log().log", ".log().clamp_min(1e-8).log").replace("-8)))", "-8)).clamp_min(1e-8))")
    found = edits(tmp_path, f"{HEAD}return {line}\n", 7)
    assert found and set(found) <= {f"{HEAD}return {text}\n" for text in (inner, outer, both)}


def test_a_logger_is_no_logarithm(tmp_path: Path) -> None:
    text = f"{HEAD}self.log('entropy', p.log().mean())\n"
    assert edits(tmp_path, text, 7) == [text.replace("p.log()", "p.clamp_min(1e-8).log()")]


def test_without_facts_there_is_no_cure(tmp_path: Path) -> None:
    assert list(cures(CAUSE, Grounds({}, (), str(tmp_path)))) == []
    assert edits(tmp_path, "x = 1\n") == []
