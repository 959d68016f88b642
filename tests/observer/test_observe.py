"""Observing a block of a process under way: everything in it is recorded, and nothing is left behind."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from types import FunctionType, MethodType, ModuleType, SimpleNamespace

import pytest
import torch

import stetho
from conftest import environment
from conftest import stetho as command
from stetho import observer
from stetho.errors import StethoError
from stetho.facts import LossCurve

FOLDER = str(Path(observer.__file__).parent)


def train(model: torch.nn.Module, optimizer: torch.optim.Optimizer, steps: int = 12) -> list[float]:
    losses = []
    for _ in range(steps):
        x = torch.randn(8, 3)
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def made() -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Dropout(0.1), torch.nn.Linear(4, 1))
    return model, torch.optim.Adam(model.parameters(), lr=1e-2)


def is_ours(value: object) -> bool:
    function = value.__func__ if type(value) in (MethodType, classmethod, staticmethod) else value
    return type(function) is FunctionType and function.__code__.co_filename.startswith(FOLDER)


def left_behind() -> list[str]:
    """Every function of the observer's that torch, random or the import system still refers to."""
    found = [f"meta_path: {f}" for f in sys.meta_path if type(f).__module__.startswith("stetho")]
    modules = [(n, m) for n, m in list(sys.modules.items()) if n.split(".")[0] in ("torch", "random")]
    for name, module in modules:
        for key, value in list(vars(module).items()) if isinstance(module, ModuleType) else ():
            # By `type`, as some of torch's names warn when they are asked for more.
            tables = value.values() if issubclass(type(value), dict) and "hooks" in key else ()
            own = vars(value).values() if issubclass(type(value), type) else ()
            if any(map(is_ours, (value, *tables, *own))):
                found.append(f"{name}.{key}")
    return found


def test_what_was_made_before_is_recorded_and_measured(tmp_path: Path) -> None:
    model, optimizer = made()
    train(model, optimizer, 3)
    with stetho.observe(tmp_path) as session:
        losses = train(model, optimizer)
    assert session.recording == tmp_path / "0001-run" / "recordings" / "base"
    curve = next(fact for fact, _ in session.facts() if isinstance(fact, LossCurve))
    assert curve.values == pytest.approx(tuple(losses))
    assert curve.where is not None and curve.where.file == __file__ and session.why_not() == ""


def test_nothing_is_changed_or_seeded(tmp_path: Path) -> None:
    model, optimizer = made()
    random.seed(1)
    plain = (train(model, optimizer), random.random(), torch.get_rng_state().tolist())
    model, optimizer = made()
    random.seed(1)
    with stetho.observe(tmp_path):
        assert left_behind(), "the search for what is left behind finds what is there"
        seen = (train(model, optimizer), random.random(), torch.get_rng_state().tolist())
    assert seen == plain


@pytest.mark.parametrize("error", [None, ValueError, KeyboardInterrupt])
def test_nothing_is_left_behind(error: type[BaseException] | None, tmp_path: Path) -> None:
    model, optimizer = made()
    try:
        with stetho.observe(tmp_path) as session:
            train(model, optimizer)
            if error:
                raise error("the user's own")
    except (ValueError, KeyboardInterrupt) as raised:
        assert type(raised) is error
    assert left_behind() == [] and observer.recording is None
    assert not any(map(is_ours, [*model._forward_hooks.values(), *model._forward_pre_hooks.values()]))
    before = sorted((f, f.stat().st_size) for f in session.recording.iterdir())
    train(model, optimizer)
    assert sorted((f, f.stat().st_size) for f in session.recording.iterdir()) == before


def test_each_block_has_a_recording_and_one_is_observed_at_a_time(tmp_path: Path) -> None:
    model, optimizer = made()
    with stetho.observe(tmp_path) as first:
        train(model, optimizer, 5)
        with pytest.raises(StethoError, match="observed already"), stetho.observe(tmp_path):
            pass
    with stetho.observe(tmp_path) as second:
        train(model, optimizer, 7)
    counts = [len(next(f.values for f, _ in s.facts() if isinstance(f, LossCurve))) for s in (first, second)]
    assert counts == [5, 7]
    with pytest.raises(StethoError, match=r"call stetho\.observe\(\) again"), first:
        pass
    with pytest.raises(StethoError, match="nothing is recorded yet"):
        _ = stetho.observe().recording


def test_a_block_without_steps_is_said_to_have_none(tmp_path: Path) -> None:
    told = r"no torch optimizer was made \(0 backward calls were seen\)"
    with pytest.warns(UserWarning, match=told), stetho.observe(tmp_path) as session:
        pass
    assert session.why_not().startswith("torch was imported, but")


def test_torch_may_come_later_or_never(tmp_path: Path) -> None:
    def warned(inside: str) -> str:
        code = f"import stetho, sys\nwith stetho.observe('cases'):\n    {inside}\nprint(*map(type, sys.meta_path))\n"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), cwd=tmp_path, check=True
        )
        assert "stetho." not in done.stdout
        return done.stderr

    assert "torch was not imported while it was observed" in warned("pass")
    assert "no torch optimizer was made" in warned("import torch")


def test_inside_an_observed_run_its_recording_serves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    outer = SimpleNamespace(recording=str(tmp_path))
    monkeypatch.setitem(sys.modules, "_stetho_observer", outer)
    with pytest.warns(UserWarning), stetho.observe(tmp_path / "cases") as session:
        assert session.recording == tmp_path and observer.recording is None
    assert not (tmp_path / "cases").exists()


def test_the_case_can_be_judged(tmp_path: Path) -> None:
    model, optimizer = made()
    with stetho.observe(tmp_path / ".stetho"):
        train(model, optimizer, 60)
    answer = command("cases", "resume", "last", "--json", cwd=tmp_path)
    assert answer.verdict["evidence"][0]["summary"].startswith("60 steps in ")
