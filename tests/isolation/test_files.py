"""The user's files are the same after a run, whatever the program does to them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from isolation.rooms import COPY, OVERLAY, Looks, both, look, project, run
from stetho.executors.protocol import Ran
from stetho.experiment import Edit, Isolation

HOSTILE = """
import fcntl, mmap, os, pathlib, shutil, sqlite3, subprocess, sys
here = pathlib.Path.cwd()
pathlib.Path("best.pt").write_text("overwritten")
os.unlink("old.ckpt")
with open("log.csv", "a") as f: f.write("another line\\n")
pathlib.Path(here / "absolute.txt").write_text("x")
subprocess.run(["sh", "-c", "rm -rf runs/one && mkdir runs/three && echo x > runs/three/made"], check=True)
os.rename("a.txt", "runs/two/metrics.txt")
pathlib.Path("sub").chmod(0o700); pathlib.Path("sub/x").chmod(0o600)
os.close(os.open("sub/x", os.O_WRONLY | os.O_TRUNC))
db = sqlite3.connect("runs.db"); db.execute("create table t (x)"); db.execute("insert into t values (1)")
db.commit(); db.close()
with open("best.pt", "r+b") as f, mmap.mmap(f.fileno(), 0) as m: m[0:1] = b"Z"
os.link("best.pt", "hard"); open("hard", "a").write("through the link")
os.utime("log.csv", (1, 1)); os.utime("best.pt", None)
os.unlink("link"); os.symlink("log.csv", "link"); open("link", "a").write("y")
with open("lock", "w") as f: fcntl.flock(f, fcntl.LOCK_EX)
os.chdir("runs"); open("relative.txt", "w").write("x"); os.rename("two/metrics.txt", "moved"); os.chdir("/")
shutil.rmtree(here / "runs")
print("all done")
"""
# What a copy refuses, an overlay lets happen in the scratch; neither reaches the user.
BEYOND = """
import os, pathlib, sys
here = pathlib.Path(bytes.fromhex("HERE").decode())
for act in (
    lambda: (here / "best.pt").write_text("x"), lambda: (here / "old.ckpt").unlink(), lambda: os.truncate(here / "a.txt", 0),
    lambda: (here / "new").write_text("x"), lambda: os.rename(here / "a.txt", here / "b.txt"),
    lambda: os.system(f"rm -rf '{here}/runs'"), lambda: (here / "made").mkdir(), lambda: os.link(here / "log.csv", here / "c"),
    lambda: (pathlib.Path.home() / "stetho-test-file").write_text("x"), lambda: open("/dev/null", "w").write("x"),
):
    try: act()
    except PermissionError: print("refused")
open("large.bin", "rb").read(1)
os.utime("large.bin", (5, 5)); os.chmod("large.bin", 0o600)
try: open("large.bin", "r+b").write(b"x")
except PermissionError: print("refused")
"""  # noqa: E501


@pytest.fixture
def mine(tmp_path: Path) -> tuple[Path, Looks]:
    folder = project(tmp_path / "project")
    return folder, look(folder)


def output(ran: Ran) -> str:
    text = ran.output.read_text()
    ran.discard()
    assert not ran.folder.exists()
    return text


@both
def test_whatever_a_program_does_in_its_project(mine: tuple[Path, Looks], isolation: Isolation) -> None:
    folder, before = mine
    ran = run(folder, HOSTILE, isolation)
    assert (ran.code, ran.overlay) == (0, not isolation.copy), ran.output.read_text()
    assert look(folder) == before
    assert "all done" in output(ran)


def test_that_program_does_harm_where_nothing_holds_it(mine: tuple[Path, Looks]) -> None:
    folder, before = mine
    subprocess.run([sys.executable, "-c", HOSTILE], cwd=folder, check=True)
    assert not {"best.pt", "old.ckpt", "log.csv", "a.txt", "link", "sub/x"} & {
        name for name, looks in look(folder).items() if before.get(name) == looks
    }


@both
def test_whatever_a_program_does_by_absolute_paths(mine: tuple[Path, Looks], isolation: Isolation) -> None:
    folder, before = mine
    home = Path.home() / "stetho-test-file"
    # Spelled so that it is not taken for a path of the project's and led to the copy.
    ran = run(folder, BEYOND.replace("HERE", os.fsencode(folder).hex()), isolation)
    assert ran.code == 0, ran.output.read_text()
    assert look(folder) == before and not home.exists()
    ran.discard()


def test_a_directory_may_be_opened_for_writing(mine: tuple[Path, Looks], tmp_path: Path) -> None:
    folder, before = mine
    for name, isolation in (("overlay", OVERLAY), ("copy", COPY)):
        allowed = tmp_path / name
        allowed.mkdir()
        code = f"open('{allowed}/real.txt', 'w').write('x'); open('log.csv', 'a').write('y')"
        run(folder, code, Isolation(writes=(str(allowed),), copy=isolation.copy)).discard()
        assert (allowed / "real.txt").read_text() == "x"
    assert look(folder) == before


@both
def test_an_edit_is_seen_by_the_run_alone(mine: tuple[Path, Looks], isolation: Isolation) -> None:
    folder, before = mine
    edit = Edit(str(folder / "a.txt"), "", "edited\n", 1, "")
    ran = run(folder, "print(open('a.txt').read())", isolation, edits=(edit,))
    assert not (ran.recording / "written.json").exists()
    assert output(ran) == "edited\n\n"
    assert look(folder) == before


@both
def test_what_was_written_is_kept_under_the_users_paths(mine: tuple[Path, Looks], isolation: Isolation) -> None:
    folder, _ = mine
    code = "import os; open('best.pt','w').write('new'); os.unlink('old.ckpt'); open('big', 'wb').truncate(2**27)"
    ran = run(folder, code, isolation)
    listed = {one["path"]: one for one in json.loads((ran.recording / "written.json").read_text())["files"]}
    assert listed[str(folder / "best.pt")]["kept"] and not listed[str(folder / "big")]["kept"]
    assert listed[str(folder / "old.ckpt")]["removed"] and listed[str(folder / "big")]["bytes"] == 2**27
    assert set(listed) == {str(folder / name) for name in ("best.pt", "old.ckpt", "big")}
    assert (ran.recording / "written" / str(folder).lstrip("/") / "best.pt").read_text() == "new"
    ran.discard()


@both
def test_paths_of_a_run_map_back_to_the_users(mine: tuple[Path, Looks], isolation: Isolation) -> None:
    folder, _ = mine
    ran = run(folder, "import os; print(os.getcwd())", isolation)
    assert ran.users_path(ran.output.read_text().strip()) == str(folder)
    ran.discard()


@both
def test_a_lock_that_another_holds_is_no_hindrance(mine: tuple[Path, Looks], isolation: Isolation) -> None:
    import fcntl

    folder, _ = mine
    with (folder / "log.csv").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        code = "import fcntl; fcntl.flock(open('log.csv', 'a'), fcntl.LOCK_EX | fcntl.LOCK_NB); print('locked')"
        ran = run(folder, code, isolation)
    assert output(ran) == "locked\n"


def test_temporary_files_and_shared_memory_of_the_user_are_seen_and_safe(tmp_path: Path) -> None:
    with tempfile.NamedTemporaryFile(prefix="stetho-test-", dir="/dev/shm") as mine:
        mine.write(b"kept in memory")
        mine.flush()
        code = f"print(open('{mine.name}').read()); open('{mine.name}', 'w'); open('{mine.name}-new', 'w')"
        ran = run(tmp_path, code)
        assert output(ran) == "kept in memory\n"
        assert Path(mine.name).read_bytes() == b"kept in memory" and not Path(f"{mine.name}-new").exists()
