"""What a log tells beside its numbers: progress, silences, new starts, NaN, warnings, its end, and unusual lines."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TypeVar

import pytest

from stetho.artifact import artifact_at
from stetho.facts import (
    Fact,
    LoggedNonfinite,
    LoggedWarnings,
    Progress,
    RareLines,
    Restarts,
    RunEnd,
    Statements,
    TimeGap,
)
from stetho.reader import Flaw, Piece, Reading
from stetho.readers.text_log import text_log
from stetho.series import Series

F = TypeVar("F", bound=Fact)
STEPS = "".join(f"step {n}/500 loss {3 - n / 100:.3f}\n" for n in range(100))


def pieces(tmp_path: Path, content: str | bytes) -> list[Piece]:
    file = tmp_path / "log"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    artifact = artifact_at(file)
    assert artifact is not None
    return list(text_log.function(artifact))


def told(tmp_path: Path, kind: type[F], content: str | bytes) -> F | None:
    found = [p.fact for p in pieces(tmp_path, content) if isinstance(p, Reading) and isinstance(p.fact, kind)]
    return found[-1] if found else None


def test_progress_is_that_of_the_training(tmp_path: Path) -> None:
    bars = "100%|██████████| 13/13 [00:01<00:00, 10.00it/s]\n"
    assert told(tmp_path, Progress, STEPS + bars) == Progress(99, 500, line=100, lines_after=1)


def test_a_silence_is_told_with_its_lines(tmp_path: Path) -> None:
    lines = [f"2024-05-01 12:{n:02d}:00 step {n} loss 0.5" for n in range(30)]
    lines += [f"2024-05-01 15:{n:02d}:00 step {n + 30} loss 0.5" for n in range(30)]
    gap = told(tmp_path, TimeGap, "\n".join(lines))
    assert gap is not None and (gap.seconds, gap.after_line, gap.before_line, gap.usual) == (9060.0, 30, 31, 60.0)
    assert told(tmp_path, TimeGap, "\n".join(lines[:30])) is None


def test_midnight_is_no_silence(tmp_path: Path) -> None:
    lines = [f"[{(23 * 60 + 50 + n) // 60 % 24:02d}:{(50 + n) % 60:02d}:00] step {n} loss 0.5" for n in range(40)]
    assert told(tmp_path, TimeGap, "\n".join(lines)) is None
    (loss,) = [p for p in pieces(tmp_path, "\n".join(lines)) if isinstance(p, Series)]
    assert loss.times is not None and (loss.times[1:] - loss.times[:-1] == 60).all()


def test_a_new_start_is_told_and_a_new_epoch_is_none(tmp_path: Path) -> None:
    start = "training on 8 devices\n"
    again = told(tmp_path, Restarts, start + STEPS + start + STEPS)
    assert again == Restarts(lines=(103,), from_steps=(99,), to_steps=(0,), lost=100)
    assert told(tmp_path, Restarts, start + STEPS + STEPS) is None


def test_a_step_that_no_counter_reaches_is_none(tmp_path: Path) -> None:
    start = "starting training now\n"
    beyond = f"step {'9' * 400}/500 loss 2.000\n"
    again = told(tmp_path, Restarts, start + STEPS + beyond + start + STEPS)
    assert again == Restarts(lines=(104,), from_steps=(99,), to_steps=(0,), lost=100)


def test_nan_is_told_where_it_begins(tmp_path: Path) -> None:
    found = told(tmp_path, LoggedNonfinite, STEPS + "step 100/500 loss nan\n" * 5)
    assert found == LoggedNonfinite("loss", 101, 100, None, 5, 2.01, stays=True)


def test_warnings_are_told_once(tmp_path: Path) -> None:
    found = told(
        tmp_path, LoggedWarnings, STEPS + "x.py:12: UserWarning: old\n" * 3 + "WARNING: slow 3\nWARNING: slow 4\n"
    )
    assert found is not None and (found.different, found.count) == (2, 5)
    assert [(one.text, one.count) for one in found.seen] == [("x.py:12: UserWarning: old", 3), ("WARNING: slow 3", 2)]


@pytest.mark.parametrize(
    ("last", "code", "signal"),
    [
        ("Training complete in 3 s", 0, None),
        ("Epoch 12: early stopping", 0, None),
        ("Killed", None, "SIGKILL"),
        ("slurmstepd: error: *** JOB 1 ON n CANCELLED AT 2024-05-01T12:00:00 DUE TO TIME LIMIT ***", None, "SIGTERM"),
        ("Segmentation fault (core dumped)", None, "SIGSEGV"),
        ("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB", 1, None),
        ("trainer-1 exited with code 137", None, "SIGKILL"),
        ("Process finished with exit code 139 (interrupted by signal 11: SIGSEGV)", None, "SIGSEGV"),
        ("exit status 3", 3, None),
        ("train.sh: Killed\nKilled\nexit status 1", None, "SIGKILL"),
    ],
)
def test_the_last_words_tell_the_end(tmp_path: Path, last: str, code: int | None, signal: str | None) -> None:
    end = told(tmp_path, RunEnd, f"{STEPS}{last}\n")
    assert end is not None and (end.code, end.signal, end.steps) == (code, signal, 99)
    assert end.inferred is (code is not None and "status" not in last), "a code that nobody saw"
    assert told(tmp_path, RunEnd, f"{last}\n{STEPS}") is None


def test_where_nothing_is_known_unusual_lines_are_told(tmp_path: Path) -> None:
    found = told(tmp_path, RareLines, STEPS + "the frobnicator lost its flange\n" + STEPS[:400])
    assert found is not None and [one.text for one in found.lines] == ["the frobnicator lost its flange"]


# --- whatever the bytes --------------------------------------------------------------------------------------


def test_a_line_without_an_end_is_cut(tmp_path: Path) -> None:
    file = tmp_path / "log"
    with file.open("wb") as out:
        out.write(b"step 1 loss 0.5\n" + b"x" * 16 + b" loss 0.25 " * 10)
        for _ in range(24):
            out.write(b"x0 " * 350_000)
        out.write(b"\nstep 2 loss 0.4\n")
    artifact = artifact_at(file)
    assert artifact is not None
    (loss,) = [p for p in text_log.function(artifact) if isinstance(p, Series) and p.name == "loss"]
    assert loss.at is not None and (loss.values[0], loss.values[-1], loss.at[-1]) == (0.5, 0.4, 3)


@pytest.mark.parametrize(
    "content",
    [
        b"\x1b[31m" * 50_000,
        b"\x1b" * 50_000 + b"\n",
        b"<script>alert(1)</script> loss: 0.5\n" * 100,
        b"\x00" * 10_000,
        b"\r" * 10_000,
        b"\n" * 10_000,
        b"(" * 20_000 + b"loss: 1",
        b"a " * 20_000 + b"1",
        b"0:" * 20_000,
        b"1/" * 20_000,
        b"1," * 20_000 + b"loss 1,2",
        b"loss=" * 10_000 + b"1",
        b"Traceback (most recent call last):\n" * 5_000,
        b'  File "a", line 1\n' * 5_000,
        ("损失: 0.5 " * 1_000).encode(),
        b"\xff\xfe" + "step 1 loss 0.5\n".encode("utf-16-le") * 50,
    ],
    ids=range(16),
)
def test_hostile_bytes_are_survived(tmp_path: Path, content: bytes) -> None:
    for piece in pieces(tmp_path, content):
        if isinstance(piece, Reading):
            assert "\x1b" not in piece.summary and "\n" not in piece.summary


@pytest.mark.parametrize("seed", range(40))
def test_noise_is_survived(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    soup = (
        b"loss",
        b"epoch",
        b" 1",
        b":",
        b"=",
        b"nan",
        b"\n",
        b"\r",
        b"\x1b[",
        b"Traceback (most recent call last):\n",
        b"|",
    )
    pieces(tmp_path, b"".join(chance.choices((*soup, chance.randbytes(5)), k=1_500)))


def test_prose_without_end_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stetho.text import shapes

    monkeypatch.setattr(shapes, "MOST", 50)
    chance = random.Random(0)
    letters = "abcdefghijklmnopqrstuvwxyz "
    lines = ["".join(chance.choices(letters, k=30)) for _ in range(500)]
    found = pieces(tmp_path, "\n".join(lines) + "\n" + STEPS)
    assert any(isinstance(piece, Flaw) for piece in found)
    assert [len(piece) for piece in found if isinstance(piece, Series)] == [100]


def test_what_is_said_has_no_markup(tmp_path: Path) -> None:
    found = told(tmp_path, Statements, b"\x1b[31mKilled\x1b[0m\n\x1b]0;title\x07OSError: No space left on device\x00\n")
    assert found is not None and [one.text for one in found.said] == ["Killed", "OSError: No space left on device\\x00"]


@pytest.mark.parametrize(
    "last", ["exit status 0", "Process finished with exit code 0", "worker 3 exited with code 2, 5 left"]
)
def test_a_status_that_is_well_or_not_the_last_word_is_no_end(tmp_path: Path, last: str) -> None:
    assert told(tmp_path, RunEnd, f"{STEPS}{last}\n") is None


def test_an_exit_status_says_that_a_process_was_killed(tmp_path: Path) -> None:
    said = told(tmp_path, Statements, f"{STEPS}trainer-1 exited with code 137\n")
    assert said is not None
    assert [(one.phrase, one.line) for one in said.said] == [("process-killed", 101)]
