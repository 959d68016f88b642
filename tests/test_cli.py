"""The command line: light, with the right exit codes, one line for every mistake."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import environment, stetho
from stetho import reference
from stetho.cli import VERBS

HEAVY = ("torch", "numpy", "rich", "jinja2", "ray", "submitit")


def imported_by(code: str) -> set[str]:
    """The top-level modules that a piece of Python imports, in a fresh interpreter."""
    probe = f"import sys\n{code}\nsys.stderr.write(' '.join(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, env=environment(), check=True)
    return {name.split(".")[0] for name in done.stderr.split()}


HELP = "sys.argv = ['stetho', '--help']\nfrom stetho.cli import main\nmain()"


@pytest.mark.parametrize("code", ["import stetho", HELP, "from stetho.shell import group"])
def test_import_and_help_pull_no_framework(code: str) -> None:
    assert not imported_by(code).intersection(HEAVY)


def test_the_lightness_test_can_fail() -> None:
    assert "numpy" in imported_by("import numpy")
    assert "rich" in imported_by(HELP.replace("main()", "main(); import rich"))


def cpu_seconds(command: list[str], times: int) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(times):
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environment())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_help_costs_at_most_twice_an_empty_python() -> None:
    # The smallest of many interleaved single runs: the machine is noisy, its best moments are not.
    script = Path(sys.executable).parent / "stetho"
    commands = [[str(script), "--help"], [sys.executable, "-c", "pass"]]
    pairs = [(cpu_seconds(commands[0], 1), cpu_seconds(commands[1], 1)) for _ in range(40)]
    assert min(helped for helped, _ in pairs) <= 2.0 * min(empty for _, empty in pairs)


def test_help_lists_every_verb_and_each_verb_has_help(tmp_path: Path) -> None:
    listed = stetho("--help", cwd=tmp_path).out
    for verb in VERBS:
        assert f"\n  {verb} " in listed
        shown = stetho(verb, "--help", cwd=tmp_path)
        assert shown.code == 0 and "Usage: stetho" in shown.out


def test_generated_pages_are_fresh() -> None:
    assert reference.stale() == []


def test_completion_script_is_offered(tmp_path: Path) -> None:
    answer = stetho(cwd=tmp_path, _STETHO_COMPLETE="bash_source")
    assert "_stetho_completion" in answer.out or ("stetho" in answer.out and "complete" in answer.out)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("why",), "give either a command after --"),
        (("why", "no-such-directory"), "there is no file or directory 'no-such-directory'"),
        (("why", "--", "no-such-program", "train.py"), "cannot run 'no-such-program'"),
        (("why", "--budget", "soon", "--", "true"), "'soon' is no duration"),
        (("why", "--frobnicate"), "--frobnicate"),
        (("explain", "loss/doubel-softmax"), "Did you mean loss/double-softmax"),
        (("cases", "show", "17"), "there is no case '17'"),
        (("fix", "17"), "there is no case '17'"),
        (("lint", "nowhere"), "there is no file or directory 'nowhere'"),
        (("frobnicate",), "frobnicate"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    answer = stetho(*arguments, cwd=tmp_path)
    assert answer.code == 2
    assert answer.out == ""
    assert says in answer.err
    assert answer.err.count("\n") == 1 and "Traceback" not in answer.err


def test_config_of_the_project_is_read_and_its_mistakes_are_said(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.stetho]\nbugdet = '5m'\n")
    answer = stetho("why", "--", "true", cwd=tmp_path)
    assert answer.code == 2 and "no option 'bugdet'" in answer.err
    (tmp_path / "pyproject.toml").write_text("[tool.stetho]\ncase = 'elsewhere'\nbudget = '20s'\n")
    stetho("why", "--json", "--", "true", cwd=tmp_path)
    assert (tmp_path / "elsewhere").is_dir() and not (tmp_path / ".stetho").exists()


def test_lint_exit_codes(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("x = 1\n")
    (tmp_path / "bad.py").write_text("loss = F.cross_entropy(F.softmax(z, dim=-1), y)\n")
    (tmp_path / "broken.py").write_text("def f(:\n")
    assert stetho("lint", "good.py", cwd=tmp_path).code == 0
    found = stetho("lint", "--json", "bad.py", cwd=tmp_path)
    assert found.code == 1 and json.loads(found.out)[0]["rule"] == "softmax-before-cross-entropy"
    assert stetho("lint", "broken.py", cwd=tmp_path).code == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_directory_as_an_ordinary_user(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    answer = stetho("why", "--json", "--", "true", cwd=tmp_path)
    tmp_path.chmod(0o755)
    assert answer.code == 3 and "case" in answer.err
