"""The rate that worked is written where the program gets it from: on the command, at the call, in code or config."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stetho.evidence import Place
from stetho.experiment import Change, Experiment, ExperimentOutcome
from stetho.facts import LearningRate
from stetho.fixes import Cure, Grounds, cures
from stetho.fixes.learning_rate import best_factor
from stetho.setting import project_files

CAUSE = "hp/lr-too-high"


def tried(value: str, after: float | None, outcome: ExperimentOutcome = "symptom-gone", name: str = "lr") -> Experiment:
    return Experiment(
        id="X1",
        kind="control",
        change=Change(name, value),
        question="?",
        predicted={},
        outcome=outcome,
        detail="",
        seconds=1.0,
        steps=60,
        before=2.3,
        after=after,
    )


def candidates(
    folder: Path, *, rate: float = 5.0, line: int | None = None, command: str = "python train.py", factor: str = "x0.1"
) -> list[Cure]:
    """The cures for a rate whose optimizer is made at a line of train.py."""
    file = str(folder / "train.py")
    frames = (Place(file, line),) if line is not None else ()
    fact = LearningRate("SGD", steps=(0,), values=(rate,), initial=rate, frames=frames)
    grounds = Grounds({LearningRate: fact}, tuple(command.split()), str(folder), (tried(factor, 0.1),))
    found = list(cures(CAUSE, grounds))
    for cure in found:
        assert cure.scales_rate == pytest.approx(float(factor[1:]), rel=0.01)
        for edit in cure.edits:
            assert edit.before.encode() == Path(edit.file).read_bytes()
            if edit.file.endswith(".py"):
                compile(edit.after, edit.file, "exec")
    return found


def texts(found: list[Cure], name: str = "train.py") -> list[str]:
    return [edit.after for cure in found for edit in cure.edits if Path(edit.file).name == name]


def write(folder: Path, text: str, name: str = "train.py") -> str:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(text.encode("utf-8"))
    return text


# --- which rate ----------------------------------------------------------------------------------------------


def factor_of(*experiments: Experiment) -> float | None:
    return best_factor(Grounds({}, (), "", experiments))


def test_the_factor_is_that_of_the_control_that_did_best() -> None:
    assert factor_of(tried("x0.1", 0.5), tried("x0.01", 0.3)) == 0.01
    assert factor_of(tried("x0.1", 0.3), tried("x0.01", 0.5, "better")) == 0.1


@pytest.mark.parametrize("outcome", ["same", "worse", "new-failure", "not-applied", "undecided"])
def test_a_control_that_did_not_help_gives_no_factor(outcome: ExperimentOutcome) -> None:
    assert factor_of(tried("x0.1", 0.1, outcome)) is None
    assert factor_of(tried("x0.1", 0.5), tried("x0.01", 0.1, outcome)) == 0.1


def test_other_changes_give_no_factor() -> None:
    assert factor_of() is None
    assert factor_of(tried("x10", 0.1, name="batch")) is None
    assert factor_of(tried("0.001", 0.1)) is None
    assert factor_of(tried("x0.1", None)) is None


def test_without_a_rate_or_a_factor_there_is_no_cure(tmp_path: Path) -> None:
    write(tmp_path, "lr = 5\n")
    fact = LearningRate("SGD", steps=(0,), values=(5.0,), initial=5.0)
    assert list(cures(CAUSE, Grounds({LearningRate: fact}, (), str(tmp_path)))) == []
    assert list(cures(CAUSE, Grounds({}, (), str(tmp_path), (tried("x0.1", 0.1),)))) == []


# --- on the command ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("python train.py --lr 5", "python train.py --lr 0.5"),
        ("python train.py --lr=5", "python train.py --lr=0.5"),
        ("python train.py --lr 5.0 --epochs 3", "python train.py --lr 0.5 --epochs 3"),
        ("python train.py optim.lr=5e0 -v", "python train.py optim.lr=0.5 -v"),
        ("python train.py --set a=b=5", "python train.py --set a=b=0.5"),
        ("bash run.sh 5", "bash run.sh 0.5"),
    ],
)
def test_an_argument_with_the_rate_is_changed(tmp_path: Path, before: str, after: str) -> None:
    [cure] = candidates(tmp_path, command=before)
    assert cure.command == tuple(after.split())
    assert cure.kind == "command" and cure.edits == ()


@pytest.mark.parametrize(
    "command", ["python train.py", "python train.py --lr 6", "python train.py --lr 5x", "5 train.py"]
)
def test_a_command_without_the_rate_is_left_alone(tmp_path: Path, command: str) -> None:
    assert candidates(tmp_path, command=command) == []


def test_every_argument_of_that_value_is_a_candidate(tmp_path: Path) -> None:
    found = [cure.command for cure in candidates(tmp_path, command="python train.py --epochs 5 --lr 5")]
    assert found == [
        tuple(f"python train.py {rest}".split()) for rest in ("--epochs 5 --lr 0.5", "--epochs 0.5 --lr 5")
    ]


@pytest.mark.parametrize(
    ("rate", "factor", "expected"),
    [
        (0.001, "x0.1", "0.0001"),
        (3e-4, "x100", "0.03"),
        (1e-6, "x1000", "0.001"),
        (0.3, "x0.01", "0.003"),
        (0.1, "x0.1", "0.01"),
    ],
)
def test_the_new_rate_is_a_round_number(tmp_path: Path, rate: float, factor: str, expected: str) -> None:
    [cure] = candidates(tmp_path, rate=rate, factor=factor, command=f"python train.py --lr {rate}")
    assert cure.command == ("python", "train.py", "--lr", expected)


# --- in the code ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", ["5", "5.0", "5e0", "0.5e1"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_literal_at_the_call_is_changed(tmp_path: Path, rate: str, end: str) -> None:
    text = write(tmp_path, end.join(["größe = '5'  # 5", "opt = SGD(", f"\tps, momentum=0.9, lr={rate})", ""]))
    [cure] = candidates(tmp_path, line=2)
    assert cure.edits[0].after == text.replace(f"lr={rate}", "lr=0.5")
    assert (cure.edits[0].line, cure.where[0].line, cure.kind) == (3, 3, "code")


def test_the_literal_at_the_call_comes_before_others(tmp_path: Path) -> None:
    text = write(tmp_path, "epochs = 5\nlr = 5\nopt = SGD(ps, lr=5)\n")
    assert texts(candidates(tmp_path, line=3)) == [
        text.replace("lr=5", "lr=0.5"),
        text.replace("lr = 5", "lr = 0.5"),
        text.replace("epochs = 5", "epochs = 0.5"),
    ]


def test_a_default_of_the_command_line_is_changed(tmp_path: Path) -> None:
    text = write(
        tmp_path,
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--epochs', type=int, default=5)\n"
        "p.add_argument('--lr', type=float, default=5)\na = p.parse_args()\nopt = SGD(ps, lr=a.lr)\n",
    )
    assert texts(candidates(tmp_path, line=6))[0] == text.replace("float, default=5", "float, default=0.5")


def test_a_constant_in_another_file_is_changed(tmp_path: Path) -> None:
    write(tmp_path, "from settings import RATE\nopt = SGD(ps, lr=RATE)\n")
    text = write(tmp_path, "BATCH = 64\nRATE = 5.0\n", "config/settings.py")
    [cure] = candidates(tmp_path, line=2)
    assert cure.edits[0].after == text.replace("5.0", "0.5")
    assert cure.edits[0].file == str(tmp_path / "config" / "settings.py")


def test_the_file_of_the_optimizer_and_lines_that_speak_of_a_rate_come_first(tmp_path: Path) -> None:
    own = write(tmp_path, "width = 5\nlr = 5\nopt = SGD(ps, lr=lr)\n")
    other = write(tmp_path, "width = 5\nlearning_rate = 5\n", "other.py")
    found = [edit.after for cure in candidates(tmp_path, line=3) for edit in cure.edits]
    assert found == [
        own.replace("lr = 5", "lr = 0.5"),
        other.replace("learning_rate = 5", "learning_rate = 0.5"),
        own.replace("width = 5", "width = 0.5"),
        other.replace("width = 5", "width = 0.5"),
    ]


@pytest.mark.parametrize("text", ["x = '5'\n", "x = True\n", "x = 50\n", "x = 0.05\n", "lr = (\n"])
def test_what_is_not_the_rate_is_left_alone(tmp_path: Path, text: str) -> None:
    write(tmp_path, text)
    assert candidates(tmp_path) == []
    assert candidates(tmp_path, rate=1.0) == []


@pytest.mark.parametrize("rate", [1e-4, 1e-7])
def test_a_small_rate_is_not_taken_for_zero(tmp_path: Path, rate: float) -> None:
    write(tmp_path, f"seed = 0\nlr = {rate}\n")
    assert len(candidates(tmp_path, rate=rate, factor="x100")) == 1


def test_a_tiny_rate_is_not_taken_for_zero(tmp_path: Path) -> None:
    write(tmp_path, "seed = 0\nlr = 1e-10\n")
    assert len(candidates(tmp_path, rate=1e-10, factor="x100")) == 1


# --- in a config ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("c.json", '{"lr": 5, "größe": 64}\n', '{"lr": 0.5, "größe": 64}\n'),
        ("c.toml", "[opt]\nlr = 5.0 # 5x\n", "[opt]\nlr = 0.5 # 5x\n"),
        ("c.yaml", "opt:\n  lr: 5e0\n", "opt:\n  lr: 0.5\n"),
        ("c.yml", "lr: 5", "lr: 0.5"),
        ("c.ini", "[a]\nlr=5\n", "[a]\nlr=0.5\n"),
        (".env", "LR=5\n", "LR=0.5\n"),
    ],
)
def test_a_number_in_a_config_is_changed(tmp_path: Path, name: str, before: str, after: str) -> None:
    write(tmp_path, before, name)
    [cure] = candidates(tmp_path)
    assert cure.edits[0].after == after
    assert (cure.kind, cure.edits[0].line) == ("config", before[: before.index("5")].count("\n") + 1)


def test_each_number_of_that_value_is_a_candidate_and_the_rate_comes_first(tmp_path: Path) -> None:
    text = write(tmp_path, json.dumps({"layers": 5, "size": 55, "v": "1.5", "lr": 5.0}, indent=1), "c.json")
    assert texts(candidates(tmp_path), "c.json") == [
        text.replace('"lr": 5.0', '"lr": 0.5'),
        text.replace('"layers": 5,', '"layers": 0.5,'),
    ]


@pytest.mark.parametrize("text", ["lr = 5.5", "lr = 15", "lr = v5", "lr = 5a", "lr = -5", "lr = 5.0.1"])
def test_what_only_contains_the_digits_is_left_alone(tmp_path: Path, text: str) -> None:
    write(tmp_path, text, "c.toml")
    assert candidates(tmp_path) == []


def test_a_config_that_is_not_text_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_bytes(b'{"lr": 5, "x": "\xff"}')
    assert candidates(tmp_path) == []


def test_a_config_with_crlf_keeps_it(tmp_path: Path) -> None:
    text = write(tmp_path, "[opt]\r\nlr = 5\r\n", "c.toml")
    [cure] = candidates(tmp_path)
    assert cure.edits[0].after == text.replace("lr = 5", "lr = 0.5")


def test_a_large_config_is_changed_whole_or_not_at_all(tmp_path: Path) -> None:
    text = write(tmp_path, '{"lr": 5, "words": "' + "x" * 1_000_100 + '"}\n', "c.json")
    assert texts(candidates(tmp_path), "c.json") in ([], [text.replace('"lr": 5', '"lr": 0.5')])


# --- which files ---------------------------------------------------------------------------------------------


def test_hidden_and_installed_folders_are_not_the_project(tmp_path: Path) -> None:
    for name in (
        "a.py",
        "b/c.json",
        ".git/d.py",
        "venv/e.py",
        ".venv/f.py",
        "node_modules/g.json",
        "__pycache__/h.py",
        "i.txt",
    ):
        write(tmp_path, "", name)
    assert {os.path.relpath(f, tmp_path) for f in project_files(str(tmp_path))} == {"a.py", os.path.join("b", "c.json")}


def test_the_order_is_the_same_in_every_process(tmp_path: Path) -> None:
    for number in range(12):
        write(tmp_path, "lr = 5\n", f"part{number}.py")
    code = (
        "import sys; from stetho.setting import Setting, in_the_project\n"
        "print([c.edits[0].file for c in in_the_project(sys.argv[1], Setting(5.0, 0.5, 'lr'))])"
    )
    orders = {
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(orders) == 1
