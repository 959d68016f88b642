"""The hook lets the observer in where PYTHONPATH does not, once, and leaves no trace when it is taken away."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from conftest import environment
from stetho import hook
from stetho.attachment import arrivals
from stetho.errors import BadRequest, StethoError
from stetho.executors.local import INJECT
from stetho.experiment import Plan

FOLDER = Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python of its own that finds this one's packages."""
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    found = next(folder.glob("lib/python*/site-packages"))
    (found / "packages.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return str(folder / "bin" / "python")


@pytest.fixture
def hooked(python: str):
    hook.install(python)
    yield python
    hook.remove(python)


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    (tmp_path / "recording").mkdir()
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(vars(Plan(str(tmp_path / "recording"), None))))
    return file


def run(command: list[str], plan: Path | None, **variables: str) -> subprocess.CompletedProcess[str]:
    given = {**environment(), **({"STETHO_PLAN": str(plan)} if plan else {}), **variables}
    done = subprocess.run(command, capture_output=True, text=True, env=given)
    assert done.returncode == 0, done.stderr
    return done


def ways(plan: Path) -> list[str]:
    """By which way each interpreter was reached."""
    file = plan.parent / "recording" / "arrivals.log"
    return [json.loads(line)["by"] for line in file.read_text().splitlines()] if file.exists() else []


def test_it_is_one_line_that_can_be_installed_found_and_removed(python: str) -> None:
    assert hook.installed(python) is None and hook.remove(python) is None
    assert hook.reach(python) == f"'{python}' has no hook"
    file = hook.install(python)
    assert file == hook.install(python) == hook.installed(python)
    assert file.read_text().count("\n") == 1 and file.read_text().startswith("import os; ")
    assert [f.name for f in file.parent.glob("stetho*")] == [file.name]
    assert hook.reach(python) == "also under python -E and -I"
    assert hook.remove(python) == file and not file.exists() and hook.installed(python) is None


@pytest.mark.parametrize("flags", [[], ["-E"], ["-I"], ["-s"], ["-X", "dev"]])
def test_the_hook_reaches_a_python_that_ignores_its_variables(hooked: str, plan: Path, flags: list[str]) -> None:
    done = run([hooked, *flags, "-c", "print('ran')"], plan)
    assert (done.stdout, done.stderr) == ("ran\n", "")
    assert ways(plan) == ["hook"] and arrivals(plan.parent / "recording")[0].words[-1] == "print('ran')"


def test_children_whose_path_is_replaced_are_reached(hooked: str, plan: Path) -> None:
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', ''], env={**__import__('os').environ, 'PYTHONPATH': '/'})"  # noqa: E501
    run([hooked, "-c", child], plan, PYTHONPATH=str(INJECT))
    assert ways(plan) == ["hook", "hook"]


def test_hook_and_path_together_start_one_observer(hooked: str, plan: Path) -> None:
    code = "import sys; print(len([f for f in sys.meta_path if type(f).__module__.startswith('_stetho')]))"
    assert run([hooked, "-c", code], plan, PYTHONPATH=str(INJECT)).stdout == "1\n"
    assert ways(plan) == ["hook"]


def test_without_a_plan_nothing_is_loaded(hooked: str, plan: Path) -> None:
    code = "import sys; print([m for m in sys.modules if 'stetho' in m], 'json' in sys.modules)"
    assert run([hooked, "-c", code], None).stdout == "[] False\n"
    plan.unlink()
    gone = run([hooked, "-c", code], plan)
    assert gone.stdout == "[] True\n" and gone.stderr == ""


def test_training_under_i_is_on_record(hooked: str, plan: Path) -> None:
    told = run([hooked, "-I", str(FOLDER / "loop.py")], plan).stdout
    events = [json.loads(line) for f in plan.parent.glob("recording/*.jsonl") for line in f.read_text().splitlines()]
    steps = [e for e in events if e["e"] == "steps"]
    assert told.count("loss") == sum(e["n"] for e in steps) > 0
    assert steps[0]["loss"][0][0][1] == pytest.approx(float(told.split()[2]))


def test_where_site_packages_cannot_be_written_the_users_own_take_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    closed = tmp_path / "a file" / "site-packages"
    closed.parent.write_text("")
    layout = hook.Layout((closed,), tmp_path / "user")
    monkeypatch.setattr(hook, "layout_of", lambda python: layout)
    assert hook.install("python") == tmp_path / "user" / hook.NAME
    assert hook.reach("python") == "also under python -E, but not under -I or -s"
    assert hook.remove("python") == tmp_path / "user" / hook.NAME
    monkeypatch.setattr(hook, "layout_of", lambda python: hook.Layout((closed,), None))
    with pytest.raises(
        StethoError, match=r"hook for 'python' cannot be written to .*site-packages \(Not a directory\)"
    ):
        hook.install("python")


@pytest.mark.parametrize("program", ["no-such-python", "true", "cat"])
def test_what_is_not_a_python_is_refused(program: str) -> None:
    with pytest.raises(BadRequest, match=f"'{program}'"):
        hook.install(program)


def test_an_old_python_is_refused(write) -> None:
    old = write("python3", '#!/bin/sh\necho \'{"version": [3, 8], "folders": ["/"], "user": null}\'\n')
    old.chmod(0o755)
    with pytest.raises(BadRequest, match=r"is Python 3\.8; the observer needs 3\.9"):
        hook.install(str(old))
