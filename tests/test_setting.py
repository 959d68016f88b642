"""Numbers other than the rate, changed where the program has them from."""

from __future__ import annotations

from pathlib import Path

import pytest

from stetho.evidence import Place
from stetho.facts import CallOrder, Clipping, Fact, Optimizers, OptimizerUse
from stetho.fixes import Cure, Grounds, cures
from stetho.setting import decay_scaled

DECAYS = Optimizers((OptimizerUse("AdamW", Place("train.py", 4), 300, (1e-3,), None, 2.0),))


def first(cause: str, folder: Path, command: tuple[str, ...], *facts: Fact) -> Cure:
    return next(cures(cause, Grounds({type(fact): fact for fact in facts}, command, str(folder))))


def test_a_weight_decay_of_a_config_is_made_a_hundred_times_smaller(tmp_path: Path) -> None:
    config = tmp_path / "hparams.json"
    config.write_text('{\n  "layers": 2,\n  "weight_decay": 2.0\n}\n')
    found = first("hp/weight-decay-too-high", tmp_path, ("python", "train.py"), DECAYS)
    assert found.kind == "config" and found.where == (Place(str(config), 3),)
    assert found.edits[0].after == '{\n  "layers": 2,\n  "weight_decay": 0.02\n}\n'


def test_a_weight_decay_of_the_command_is_changed_there(tmp_path: Path) -> None:
    found = first("hp/weight-decay-too-high", tmp_path, ("python", "train.py", "--wd=2.0"), DECAYS)
    assert found.command == ("python", "train.py", "--wd=0.02")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("HP = dict(lr=2.0, weight_decay=2.0)\n", "HP = dict(lr=2.0, weight_decay=0.02)\n"),
        ("HP = {'lr': 2.0, 'wd': 2.0}\n", "HP = {'lr': 2.0, 'wd': 0.02}\n"),
        ("def make(lr=2.0, *, decay=2.0):\n    pass\n", "def make(lr=2.0, *, decay=0.02):\n    pass\n"),
        ("lr = 2.0; wd: float = 2.0\n", "lr = 2.0; wd: float = 0.02\n"),
        ("a('--lr', default=2.0); a('--wd', default=2.0)\n", "a('--lr', default=2.0); a('--wd', default=0.02)\n"),
    ],
)  # fmt: skip
def test_of_several_numbers_of_that_value_in_a_line_the_one_of_its_name_is_changed(
    before: str, after: str, tmp_path: Path
) -> None:
    (tmp_path / "settings.py").write_text(before)
    found = first("hp/weight-decay-too-high", tmp_path, ("python", "train.py"), DECAYS)
    assert found.edits[0].after == after


def test_of_several_numbers_in_a_line_of_a_config_the_one_of_its_name_is_changed(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"lr": 2.0, "weight_decay": 2.0, "seed": 2}')
    found = first("hp/weight-decay-too-high", tmp_path, ("python", "train.py"), DECAYS)
    assert found.edits[0].after == '{"lr": 2.0, "weight_decay": 0.02, "seed": 2}'


def test_of_several_options_of_that_value_the_one_of_its_name_is_changed(tmp_path: Path) -> None:
    found = first("hp/weight-decay-too-high", tmp_path, ("python", "t.py", "--lr", "2.0", "--wd", "2.0"), DECAYS)
    assert found.command == ("python", "t.py", "--lr", "2.0", "--wd", "0.02")


def test_an_edit_of_the_decay_counts_when_the_decay_has_changed_and_nothing_else() -> None:
    def made(rate: float, decay: float) -> Optimizers:
        return Optimizers((OptimizerUse("SGD", None, 300, (rate,), 0.9, decay),))

    assert decay_scaled(made(0.1, 0.1), made(0.1, 0.001), 0.01)
    assert not decay_scaled(made(0.1, 0.1), made(0.001, 0.1), 0.01)
    assert not decay_scaled(made(0.1, 0.1), made(0.001, 0.001), 0.01)
    assert not decay_scaled(None, made(0.1, 0.001), 0.01)


def test_a_limit_is_raised_above_the_usual_gradient(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("limit = 0.01\nclip_grad_norm_(net.parameters(), 0.01)\n")
    clip = Clipping(200, 200, 200, 0.01, 0.01, (0, 1, 2), (0.5, 0.6, 0.7), ())
    order = CallOrder("SGD", 200, (), 0, clips=(Place(str(script), 2),))
    found = first("train/clip-too-tight", tmp_path, ("python", "train.py"), clip, order)
    assert found.where == (Place(str(script), 2),) and found.edits[0].after.endswith("net.parameters(), 1.2)\n")


def test_nothing_is_written_for_a_limit_that_changes(tmp_path: Path) -> None:
    clip = Clipping(200, 200, 200, 0.01, 0.02, (0, 1, 2), (0.5, 0.6, 0.7), ())
    grounds = Grounds({Clipping: clip}, ("python", "train.py"), str(tmp_path))
    assert list(cures("train/clip-too-tight", grounds)) == []
