"""The fuzzing of the probes' parsers can fail, and does not."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

FILE = Path(__file__).parents[2] / "bench" / "fuzz_probes.py"


@pytest.fixture
def fuzz() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_probes", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_quick_set(fuzz: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz", "--cases", "2000", "--seed", "3"])
    assert fuzz.main() == 0
    assert "2000 cases" in capsys.readouterr().out


def test_a_parser_that_fails_is_found(
    fuzz: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def number(text: str) -> int:
        return int(text)

    monkeypatch.setattr(fuzz, "seeds", lambda: iter([(number, "12")]))
    monkeypatch.setattr(sys, "argv", ["fuzz", "--cases", "200"])
    assert fuzz.main() == 1
    assert "number failed with ValueError" in capsys.readouterr().out
