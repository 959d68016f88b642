"""Packed text is read as what is in it: torn, damaged, written in parts, and made to do harm."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from stetho import packed
from stetho.artifact import artifact_at, unpacked
from stetho.case import Request
from stetho.catalogue import load
from stetho.logged.walk import Left, read_all
from stetho.post_mortem import judge
from stetho.reader import Flaw
from stetho.series import Series

LINES = [f"step {n} loss {3 - n * 0.01:.3f} noise {(n * 7919) % 1000}\n" for n in range(2000)]


def read(folder: Path, raw: bytes, name: str = "train.log.gz") -> Left:
    (folder / name).write_bytes(raw)
    (left,) = read_all(folder, load())
    return left


def points(left: Left) -> int:
    return max((len(piece) for piece in left.pieces if isinstance(piece, Series) and piece.name == "loss"), default=0)


def flaws(left: Left) -> list[str]:
    return [piece.summary for piece in left.pieces if isinstance(piece, Flaw)]


def whole(lines: list[str] = LINES) -> bytes:
    return gzip.compress("".join(lines).encode())


def test_a_packed_log_is_read_under_any_name(tmp_path: Path) -> None:
    left = read(tmp_path, whole(), "old.1")
    assert (left.reader, points(left), flaws(left)) == ("text-log", 2000, [])


def test_parts_that_follow_each_other_are_one_log(tmp_path: Path) -> None:
    assert points(read(tmp_path, whole(LINES[:900]) + whole(LINES[900:]))) == 2000


def test_of_a_torn_log_what_is_left_is_read_and_said_to_be_cut(tmp_path: Path) -> None:
    raw = whole()
    left = read(tmp_path, raw[: len(raw) // 2])
    assert 500 < points(left) < 2000 and flaws(left) == ["it is cut off"]


def test_of_a_damaged_log_what_comes_before_is_read(tmp_path: Path) -> None:
    raw = bytearray(whole())
    raw[9000:9400] = b"\xff" * 400
    left = read(tmp_path, bytes(raw))
    assert 100 < points(left) < 2000 and flaws(left) == ["it is damaged from here on"]


def test_rows_and_a_kernels_log_may_be_packed_too(tmp_path: Path) -> None:
    rows = "".join(f'{{"step": {n}, "loss": {3 - n / 100}}}\n' for n in range(200))
    left = read(tmp_path, gzip.compress(rows.encode()))
    assert (left.reader, points(left)) == ("json-lines", 200)
    kernel = "[  331.500130] Out of memory: Killed process 4711 (python) total-vm:9kB, anon-rss:8kB, file-rss:0kB\n"
    assert read(tmp_path, gzip.compress(kernel.encode())).reader == "kernel-messages"


@pytest.mark.parametrize("inside", [b"", os.urandom(999) + b"\x00", b"a.txt" + bytes(507)])
def test_what_is_packed_and_no_text_stays_as_it_is(tmp_path: Path, inside: bytes) -> None:
    (tmp_path / "x.gz").write_bytes(gzip.compress(inside))
    found = artifact_at(tmp_path / "x.gz")
    assert found is not None and not unpacked(found).packed


def test_some_of_it_can_be_read_as_of_any_file(tmp_path: Path) -> None:
    (tmp_path / "x.gz").write_bytes(whole())
    found = artifact_at(tmp_path / "x.gz")
    assert found is not None
    text, one = "".join(LINES), unpacked(found)
    assert (one.size, one.part(70_00, 50)) == (len(text), text[70_00:70_50].encode())
    assert list(one.lines()) == LINES


def test_a_bomb_is_left_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "FREE", 1 << 20)
    left = read(tmp_path, gzip.compress(b"step 1 loss 2.0\n" * (1 << 20), 9))
    assert points(left) < 200_000 and "packed too tightly" in flaws(left)[0]


def test_a_rotated_log_and_the_newest_one_are_one_run(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "train.log.1.gz").write_bytes(whole(LINES[:120]))
    (folder / "train.log").write_text("".join(LINES[120:200]) + "Training complete\n")
    found = judge(tmp_path / ".stetho", Request((), str(tmp_path), 0, 60.0, None, False, 0.0), str(folder))
    (run,) = found.runs
    assert run.verdict.status == "clear" and "200 points" in " ".join(e.summary for e in run.verdict.evidence)
