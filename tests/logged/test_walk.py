"""What is said while large files are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from stetho import catalogue
from stetho.logged import walk


@pytest.mark.parametrize(
    "row", ["step {n} loss 0.5\n", '{{"step": {n}, "loss": 0.5}}\n', "{n},0.5\n"], ids=["text", "JSON Lines", "CSV"]
)
def test_a_large_file_says_how_far_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str) -> None:
    monkeypatch.setattr(walk, "LARGE", 1 << 20)
    monkeypatch.setattr(walk, "OFTEN", 0.0)
    head = "step,loss\n" if row.startswith("{n}") else ""
    file = tmp_path / "log"
    file.write_text(head + "".join(row.format(n=n) for n in range(250_000)))
    said: list[str] = []
    (left,) = walk.read_all(file, catalogue.load(), said.append)
    assert left.pieces
    assert said[0] == f"reading {file}"
    total = f"{file.stat().st_size / 1e6:.0f}"
    assert said[-1] == f"reading {file}, {total} of {total} MB"


def test_a_small_file_is_read_without_a_word_about_its_size(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text("step 1 loss 0.5\n")
    said: list[str] = []
    walk.read_all(file, catalogue.load(), said.append)
    assert said == [f"reading {file}"]
