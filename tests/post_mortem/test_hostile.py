"""A folder in which everything is meant to do harm: it is judged in bounded time and memory, and nothing of it runs."""

from __future__ import annotations

import json
import os
import pickle
import resource
import socket
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

MB = 1 << 20
# What stetho itself takes is about a tenth of this.
MOST_MEMORY = 1500 * MB
MOST_SECONDS = 120


class Bomb:
    """Unpickling it leaves a mark."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {self.mark}",)


def pickle_that_runs(folder: Path, mark: Path) -> None:
    (folder / "model.pt").write_bytes(pickle.dumps({"state": Bomb(mark)}))
    with zipfile.ZipFile(folder / "new.pt", "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"state": Bomb(mark)}))
        archive.writestr("archive/version", "3\n")


def zip_that_unpacks_to_gigabytes(folder: Path, mark: Path) -> None:
    with zipfile.ZipFile(folder / "last.ckpt", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("archive/data.pkl", "archive/data/0"):
            with archive.open(name, "w", force_zip64=True) as member:
                for _ in range(400):
                    member.write(bytes(MB))


def line_without_an_end(folder: Path, mark: Path) -> None:
    with open(folder / "train.log", "wb") as file:
        file.write(b"step 1 loss 2.3\nstep 2 loss 2.2 ")
        file.truncate(200 * MB)
    with open(folder / "digits.log", "wb") as file:
        for _ in range(40):
            file.write(b"loss=0.123 step=7 " * (MB // 18))


def colours_and_markup(folder: Path, mark: Path) -> None:
    noise = "\x1b[2J\x1b[H\x1b]0;owned\x07\x1b[31m<script>alert(1)</script>[bold red]![x](javascript:1)\x1b[0m\r"
    lines = [f"{noise}step {i} loss {2.3 - i / 1000:.3f}\b\b\b\x00\x9b1m <img src=x onerror=1>" for i in range(2000)]
    lines += ["Traceback (most recent call last):", '  File "<b>x</b>.py", line 1, in <module>', f"ValueError: {noise}"]
    (folder / "out.log").write_text("\n".join(lines), encoding="utf-8")


def links_that_lead_nowhere_or_out(folder: Path, mark: Path) -> None:
    (folder / "out.log").write_text("".join(f"step {i} loss {2.3 - i / 100:.2f}\n" for i in range(50)))
    os.symlink(folder, folder / "again")
    os.symlink("b", folder / "a")
    os.symlink("a", folder / "b")
    os.symlink("/dev/zero", folder / "train.log")
    os.symlink("/dev/random", folder / "metrics.jsonl")
    deep = folder
    for _ in range(60):
        deep = deep / "d"
    deep.mkdir(parents=True)
    os.symlink(folder, deep / "up")


def things_that_are_no_files(folder: Path, mark: Path) -> None:
    os.mkfifo(folder / "log.txt")
    place = socket.socket(socket.AF_UNIX)
    os.chdir(folder)
    place.bind("s.log")
    place.close()
    (folder / "\udcff\n\x1b[31m.log").write_bytes(b"loss 1.0\n")


def numbers_that_overflow(folder: Path, mark: Path) -> None:
    (folder / "metrics.jsonl").write_text(
        "\n".join(json.dumps({"step": 10**400, "loss": 1}) for _ in range(20)) + "\n" + "[" * 100_000
    )
    (folder / "metrics.csv").write_text("step,loss\n" + "\n".join(f"{10**i},1e{i}" for i in range(400)))
    (folder / "config.yaml").write_text("a: &a [x,x,x,x]\n" + "".join(f"b{i}: &b{i} [*a,*a,*a]\n" for i in range(99)))
    (folder / "log.txt").write_text("\n".join(f"step {'9' * 5000} loss -1e{'9' * 5000}" for _ in range(50)))


HARMS: tuple[Callable[[Path, Path], None], ...] = (
    pickle_that_runs,
    zip_that_unpacks_to_gigabytes,
    line_without_an_end,
    colours_and_markup,
    links_that_lead_nowhere_or_out,
    things_that_are_no_files,
    numbers_that_overflow,
)


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def why(target: Path, cases: Path, *options: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "stetho", "why", str(target), "--case", str(cases), *options]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, timeout=MOST_SECONDS, preexec_fn=limit, env=environment)


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_harm_is_not_done(harm: Callable[[Path, Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder, mark = tmp_path / "run", tmp_path / "mark"
    folder.mkdir()
    harm(folder, mark)
    monkeypatch.chdir(tmp_path)
    plain = why(folder, tmp_path / "cases")
    assert plain.returncode in (0, 1, 3), plain.stderr.decode()[-2000:]
    assert b"Traceback (most" not in plain.stderr
    document = why(folder, tmp_path / "cases", "--json")
    assert json.loads(document.stdout)["schema"].startswith("stetho.")
    page = why(folder, tmp_path / "cases", "--format", "md")
    shown = plain.stdout + plain.stderr + page.stdout + document.stdout
    assert not {b"\x1b", b"\x9b", b"\x07", b"\x00", b"\b"} & {bytes([one]) for one in shown if one != 0x9B}
    assert b"<script>" not in page.stdout and b"<img" not in page.stdout
    assert not mark.exists()
