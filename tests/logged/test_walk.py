"""What is said while large files are read, and what becomes of a file at which a reader fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stetho import catalogue
from stetho.artifact import Artifact
from stetho.logged import walk
from stetho.reader import Flaw, Piece


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


def test_a_reader_that_fails_costs_only_what_it_had_still_to_read(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("step 1 loss 0.5\n")
    (tmp_path / "b.csv").write_text("step,loss\n1,0.5\n2,0.4\n3,0.3\n")

    def fails(artifact: Artifact) -> Iterator[Piece]:
        yield Flaw("the first piece")
        raise ZeroDivisionError("a defect")

    whole = catalogue.load()
    broken = replace(whole.readers["text-log"], function=fails)
    text, table = walk.read_all(tmp_path, replace(whole, readers={**whole.readers, "text-log": broken}))
    said = "was not read to its end: the reader text-log itself failed: ZeroDivisionError('a defect')"
    assert text.pieces == (Flaw("the first piece"), Flaw(said))
    assert table.reader == "separated-values" and table.pieces


def test_a_reader_that_fails_to_say_whether_a_file_is_its_own_costs_no_other(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("step,loss\n1,0.5\n2,0.4\n3,0.3\n")

    def fails(artifact: Artifact) -> float:
        raise ZeroDivisionError("a defect")

    whole = catalogue.load()
    broken = replace(whole.readers["text-log"], recognises=fails)
    left = walk.read_all(tmp_path, replace(whole, readers={**whole.readers, "text-log": broken}))
    assert left[0].reader == "separated-values" and left[0].pieces
    (told,) = [piece.summary for one in left[1:] for piece in one.pieces if isinstance(piece, Flaw)]
    assert "text-log did not say whether" in told and "ZeroDivisionError('a defect')" in told
