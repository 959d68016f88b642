"""Gradients are cleared once per step, on the optimizer that steps, in the style of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from stetho.evidence import Place
from stetho.facts import GradientReset
from stetho.fixes import Grounds, cures

CAUSE = "train/missing-zero-grad"


def edits(folder: Path, text: str, *, step: int | None, backward: int | None) -> list[str]:
    """The texts that the cures would give for a step and a backward at these lines."""
    file = folder / "train.py"
    file.write_bytes(text.encode("utf-8"))
    step_at, backward_at = (Place(str(file), line) if line is not None else None for line in (step, backward))
    fact = GradientReset("SGD", steps=99, kept=99, step_at=step_at, backward_at=backward_at)
    found = []
    for cure in cures(CAUSE, Grounds({GradientReset: fact}, ("python", "train.py"), str(folder))):
        [edit] = cure.edits
        assert (edit.file, edit.before) == (str(file), text)
        compile(edit.after, "train.py", "exec")
        assert edit.why.split()[1] in edit.after.splitlines()[edit.line - 1]
        found.append(edit.after)
    return found


LOOP = """\
for x, y in loader:
    loss = f(net(x), y)
    loss.backward()
    OPT.step()
done()
"""


@pytest.mark.parametrize(
    ("stepped", "cleared"),
    [
        ("opt.step()", "opt"),
        ("self.opt.step()", "self.opt"),
        ("self.trainer.optimizers[0].step()", "self.trainer.optimizers[0]"),
        ("größe.step()", "größe"),
        ("scaler.step(opt)", "opt"),
        ("self.scaler.step(self.opt)", "self.opt"),
        ("opt.step(closure)", "opt"),
        ("opt.step(closure=evaluate)", "opt"),
        ("opt.step(lambda: 1)", "opt"),
        ("value = opt.step()", "opt"),
    ],
)
def test_before_backward_and_then_after_the_step(tmp_path: Path, stepped: str, cleared: str) -> None:
    text = LOOP.replace("OPT.step()", stepped)
    assert edits(tmp_path, text, step=4, backward=3) == [
        text.replace("    loss.backward()", f"    {cleared}.zero_grad()\n    loss.backward()"),
        text.replace("done()", f"    {cleared}.zero_grad()\ndone()"),
    ]


def test_a_file_with_tabs_and_crlf_stays_one(tmp_path: Path) -> None:
    text = LOOP.replace("    ", "\t").replace("OPT", "opt").replace("done()", "\tdone('é')").replace("\n", "\r\n")
    assert edits(tmp_path, text, step=4, backward=3) == [
        text.replace("\tloss.backward()", "\topt.zero_grad()\r\n\tloss.backward()"),
        text.replace("\tdone(", "\topt.zero_grad()\r\n\tdone("),
    ]


def test_statements_over_several_lines_stay_whole(tmp_path: Path) -> None:
    text = "while True:\n    loss.backward(\n        retain_graph=True,\n    )\n    scaler.step(\n        opt,\n    )\n"
    assert edits(tmp_path, text, step=6, backward=3) == [
        text.replace("    loss", "    opt.zero_grad()\n    loss"),
        text + "    opt.zero_grad()\n",
    ]


def test_in_another_function_only_after_the_step(tmp_path: Path) -> None:
    """Where backward is called, the optimizer may have another name or none."""
    text = "def learn(loss):\n    loss.backward()\n\ndef update(opt):\n    opt.step()\n"
    assert edits(tmp_path, text, step=5, backward=2) == [text + "    opt.zero_grad()\n"]


def test_in_another_file_only_after_the_step(tmp_path: Path) -> None:
    text = "opt.step()\n"
    (tmp_path / "train.py").write_text(text, encoding="utf-8")
    step_at, backward_at = (Place(str(tmp_path / name), 1) for name in ("train.py", "other.py"))
    fact = GradientReset("SGD", steps=9, kept=9, step_at=step_at, backward_at=backward_at)
    [cure] = cures(CAUSE, Grounds({GradientReset: fact}, (), str(tmp_path)))
    assert cure.edits[0].after == text + "opt.zero_grad()\n"
    assert [Path(place.file).name for place in cure.where] == ["train.py", "other.py"]


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("trainer.fit()\n", 1),
        ("opt.step()\n", 9),
        ("for x in y: pass\n", 1),
        ("def f(:\n", 1),
        ("opt.step()\n", None),
    ],
)
def test_where_no_step_is_seen_there_is_no_cure(tmp_path: Path, text: str, step: int | None) -> None:
    assert edits(tmp_path, text, step=step, backward=None) == []


def test_the_last_line_may_lack_its_end(tmp_path: Path) -> None:
    assert edits(tmp_path, "loss.backward()\nopt.step()", step=2, backward=None) == [
        "loss.backward()\nopt.step()\nopt.zero_grad()\n"
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("for x in y:\n    loss.backward(); opt.step()\n", 2),
        ("for n in range(9):\n    loss.backward()\n    if n % 4 == 3: opt.step()\n    done()\n", 3),
        ("for x in y: opt.step()\n", 1),
    ],
    ids=["two on one line", "an if on one line", "a loop on one line"],
)
def test_a_statement_behind_another_on_its_line(tmp_path: Path, text: str, line: int) -> None:
    found = edits(tmp_path, text, step=line, backward=line if "backward(); " in text else None)
    # Each stays one line more or less; where it stands beside another, the reset joins it there.
    assert found and all("opt.zero_grad()" in after for after in found)


def test_the_end_of_a_block_with_tabs(tmp_path: Path) -> None:
    text = LOOP.replace("    ", "\t").replace("OPT", "opt")
    assert edits(tmp_path, text, step=4, backward=None) == [text.replace("done()", "\topt.zero_grad()\ndone()")]


def test_what_the_optimizer_evaluates_is_not_what_is_cleared(tmp_path: Path) -> None:
    text = "loss.backward()\nopt.step(evaluate)\n"
    assert text + "opt.zero_grad()\n" in edits(tmp_path, text, step=2, backward=None)
