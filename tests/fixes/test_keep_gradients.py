"""Gradients that are cleared too late are cleared before backward instead."""

from __future__ import annotations

from pathlib import Path

from stetho.evidence import Place
from stetho.facts import CallOrder, GradientReset
from stetho.fixes import Grounds, cures


def edits(folder: Path, text: str, cleared: int, backward: int, step: int) -> list[str]:
    file = folder / "train.py"
    file.write_text(text)
    where = {n: Place(str(file), n) for n in (cleared, backward, step)}
    order = CallOrder("SGD", 9, (), 1, step_at=where[step], clearings=(where[cleared],))
    reset = GradientReset("SGD", 9, 0, where[step], where[backward])
    facts = {CallOrder: order, GradientReset: reset}
    found = cures("train/grads-wiped", Grounds(facts, ("python", "train.py"), str(folder)))
    return [cure.edits[0].after for cure in found]


def test_it_goes_before_backward(tmp_path: Path) -> None:
    text = "for x in data:\n    loss = f(x)\n    loss.backward()\n    opt.zero_grad()\n    opt.step()\n"
    fixed = "for x in data:\n    loss = f(x)\n    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
    assert edits(tmp_path, text, 4, 3, 5)[0] == fixed


def test_it_leaves_a_loop_over_optimizers(tmp_path: Path) -> None:
    text = "def train(loss):\n    loss.backward()\n    for o in all:\n        o.step()\n        net.zero_grad()\n"
    fixed = "def train(loss):\n    net.zero_grad()\n    loss.backward()\n    for o in all:\n        o.step()\n"
    assert edits(tmp_path, text, 5, 2, 4)[0] == fixed


def test_a_block_that_it_leaves_empty_stays_one(tmp_path: Path) -> None:
    text = "loss.backward()\nif clear:\n    opt.zero_grad()\nopt.step()\n"
    fixed = edits(tmp_path, text, 3, 1, 4)
    assert fixed[0] == "opt.zero_grad()\nloss.backward()\nif clear:\n    pass\nopt.step()\n"


def test_another_function_is_left_alone(tmp_path: Path) -> None:
    text = "def clear():\n    opt.zero_grad()\n\ndef update(loss):\n    loss.backward()\n    clear()\n    opt.step()\n"
    assert edits(tmp_path, text, 2, 5, 7) == []
