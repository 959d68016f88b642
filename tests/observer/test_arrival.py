"""Waiting for an import, and starting up, as if nobody were there."""

from __future__ import annotations

import importlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import environment
from stetho.executors.local import INJECT
from stetho.observer import arrival
from stetho.recording import read_process


@pytest.fixture
def package(write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """A module that nobody has imported yet."""
    write("awaited_module.py", "state = 'whole'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "awaited_module"
    sys.modules.pop("awaited_module", None)


def test_the_call_comes_after_the_import_and_once(package: str) -> None:
    met: list[str] = []
    before = list(sys.meta_path)
    arrival.when_imported(package, lambda module: met.append(module.state))
    module = importlib.import_module(package)
    assert met == ["whole"] and sys.meta_path == before
    assert "exec_module" not in vars(module.__spec__.loader) and module.__loader__ is module.__spec__.loader
    arrival.when_imported(package, lambda module: met.append("at once"))
    assert met == ["whole", "at once"] and sys.meta_path == before


def test_to_ask_for_a_module_is_not_to_import_it(package: str) -> None:
    """Libraries ask whether torch is there long before they import it."""
    met: list[object] = []
    arrival.when_imported(package, met.append)
    assert importlib.util.find_spec(package) is not None and not met
    importlib.import_module(package)
    assert len(met) == 1


def test_an_import_that_fails_is_awaited_again(package: str, write) -> None:
    met: list[object] = []
    write("awaited_module.py", "raise RuntimeError('not today')\n")
    arrival.when_imported(package, met.append)
    with pytest.raises(RuntimeError, match="not today"):
        importlib.import_module(package)
    write("awaited_module.py", "state = 'another size'\n")
    importlib.import_module(package)
    assert len(met) == 1


def test_what_is_called_off_does_not_happen(package: str) -> None:
    met: list[object] = []
    forget = arrival.when_imported(package, met.append)
    spec = importlib.util.find_spec(package)
    forget()
    forget()
    importlib.import_module(package)
    assert not met and spec is not None


def test_other_finders_are_asked_and_may_ask_back(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Asking:
        def find_spec(self, name: str, path: object = None, target: object = None) -> object:
            others = [f for f in sys.meta_path if f is not self]
            return next((s for s in (f.find_spec(name, path, target) for f in others) if s), None)  # type: ignore

    monkeypatch.setattr(sys, "meta_path", [Asking(), *sys.meta_path])
    met: list[object] = []
    arrival.when_imported(package, met.append)
    importlib.import_module(package)
    assert len(met) == 1


def start(code: str, tmp_path: Path, path: str, seed: int | None = None) -> subprocess.CompletedProcess[str]:
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"recording": str(tmp_path), "seed": seed, "changes": [], "trace": []}))
    variables = {"STETHO_PLAN": str(plan), "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**environment(), **variables}
    )


def test_without_a_sitecustomize_of_the_users_there_is_none(tmp_path: Path) -> None:
    code = "import sys; print('sitecustomize' in sys.modules, '_stetho_observer' in sys.modules); import sitecustomize"
    alone = subprocess.run([sys.executable, "-c", "import sitecustomize"], capture_output=True, env=environment())
    if alone.returncode == 0:
        pytest.skip("this Python has a sitecustomize of its own")
    done = start(code, tmp_path, str(INJECT))
    assert done.stdout == "False True\n"
    assert done.stderr.endswith("ModuleNotFoundError: No module named 'sitecustomize'\n")


def test_a_sitecustomize_that_fails_says_so_as_it_does_alone(write, tmp_path: Path) -> None:
    own = write("own/sitecustomize.py", "import sys\nsys.path.append('/added')\nraise ValueError('mine')\n").parent
    alone = subprocess.run(
        [sys.executable, "-c", ""], capture_output=True, text=True, env={**environment(), "PYTHONPATH": str(own)}
    )
    code = "import sys; print([*sys.path[1:3], sys.path[-1]])"
    done = start(code, tmp_path, f"{INJECT}:{own}")
    assert done.stderr == alone.stderr and "ValueError: mine" in done.stderr
    assert done.stdout == f"['{INJECT}', '{own}', '/added']\n"


RANDOM = "import random, numpy; print(random.random(), numpy.random.rand(), numpy.random.default_rng().random())"


def test_a_real_run_is_not_seeded_and_a_repeated_one_is(tmp_path: Path) -> None:
    real = {start(RANDOM, tmp_path, str(INJECT)).stdout for _ in range(2)}
    seeded = {start(RANDOM, tmp_path, str(INJECT), seed=3).stdout for _ in range(2)}
    assert len(real) == 2 and len(seeded) == 1 and not real & seeded
    name = "import numpy; print(numpy.random.default_rng.__module__)"
    assert "stetho" not in start(name, tmp_path, str(INJECT)).stdout


def test_an_observer_that_cannot_start_leaves_its_error_beside_the_plan(tmp_path: Path) -> None:
    done = start("print('ran')", tmp_path, str(INJECT))
    assert done.stdout == "ran\n" and not (tmp_path / "plan.json.error").exists()
    variables = {"STETHO_PLAN": str(tmp_path / "broken.json"), "PYTHONPATH": str(INJECT)}
    (tmp_path / "broken.json").write_text("{")
    done = subprocess.run(
        [sys.executable, "-c", "print('ran')"], capture_output=True, text=True, env={**environment(), **variables}
    )
    assert (done.stdout, done.stderr) == ("ran\n", "")
    assert "JSONDecodeError" in (tmp_path / "broken.json.error").read_text()


def test_an_observer_that_cannot_be_loaded_when_torch_comes_says_so(write, tmp_path: Path) -> None:
    own = write("own/sitecustomize.py", "import sys\nsys.modules['_stetho_observer.watch'] = None\n").parent
    write("own/torch.py", "")
    done = start("import torch; print('ran')", tmp_path, f"{INJECT}:{own}")
    assert (done.stdout, done.stderr) == ("ran\n", "")
    write("own/sitecustomize.py", "import sys\nsys.modules['_stetho_observer.guard'] = None\n")
    done = start("import torch; print('ran')", tmp_path, f"{INJECT}:{own}")
    assert (done.stdout, done.stderr) == ("ran\n", "")
    faults = [f for file in tmp_path.glob("*.jsonl") for f in read_process([file], str).faults]
    assert len(faults) == 2 and all("import" in fault and "(the import of torch)" in fault for fault in faults)
