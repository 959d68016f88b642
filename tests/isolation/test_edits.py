"""A changed file is seen by the run alone, wherever it lies; one that cannot be changed is named."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import environment
from isolation.rooms import COPY, both, look, project, run
from stetho.errors import ScratchError
from stetho.executors import local
from stetho.experiment import Edit, Isolation
from stetho.fingerprint import _files
from stetho.isolation import copies, likeness

NAMES = (
    "env/maze.py", "venv/lib/x.py", "venv/lib/deep/x.py", ".git/config", "images/7.txt", "plain/deep/x.py", "link",
    "large.bin", "new.py", "made/on/the/way.py", "venv/made/x.py", "shared/inner/lib.py", "single.py", "closed.py",
)  # fmt: skip
READ = f"for name in {NAMES!r}: print(open(name).read(), end=' ')"


def edit(file: Path, after: str = "changed") -> Edit:
    return Edit(str(file), "", after, 1, "")


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which much is only linked: environments, a history, a crowded folder, a library from elsewhere."""
    monkeypatch.setattr(likeness, "CROWDED", 20)
    folder = project(tmp_path / "project")
    for name in ("venv/pyvenv.cfg", *NAMES[:6], *(f"images/{n}.txt" for n in range(21)), "closed.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("own")
    (folder / "closed.py").chmod(0o444)
    (tmp_path / "library" / "inner").mkdir(parents=True)
    (tmp_path / "library" / "inner" / "lib.py").write_text("own")
    (tmp_path / "library" / "single.py").write_text("own")
    (folder / "shared").symlink_to("../library")
    (folder / "single.py").symlink_to("../library/single.py")
    return folder


@both
def test_edits_reach_the_run_and_nothing_of_the_users(mine: Path, isolation: Isolation) -> None:
    before = look(mine.parent)
    ran = run(mine, READ, isolation, edits=tuple(edit(mine / name) for name in NAMES))
    assert ran.output.read_text().split() == ["changed"] * len(NAMES)
    assert not (ran.recording / "written.json").exists()
    ran.discard()
    assert look(mine.parent) == before


def test_what_lies_beside_an_edit_is_still_there(mine: Path) -> None:
    code = "import os; print(len(os.listdir('images')), open('images/3.txt').read(), open('venv/lib/x.py').read())"
    ran = run(mine, code, COPY, edits=(edit(mine / "images" / "7.txt"), edit(mine / "venv" / "lib" / "deep" / "x.py")))
    assert ran.output.read_text() == "21 own own\n"
    ran.discard()


def test_edits_where_all_is_linked_for_want_of_room(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likeness, "MOST", 3)
    before = look(mine)
    ran = run(mine, "print(open('plain/deep/x.py').read())", COPY, edits=(edit(mine / "plain" / "deep" / "x.py"),))
    assert ran.output.read_text() == "changed\n"
    ran.discard()
    assert look(mine) == before


def test_a_file_outside_of_what_is_copied_is_named_and_left_alone(mine: Path) -> None:
    before = look(mine.parent)
    with pytest.raises(ScratchError, match=r"library/single\.py cannot be changed for this run: it lies outside"):
        run(mine, "", COPY, edits=(edit(mine.parent / "library" / "single.py"),))
    assert look(mine.parent) == before


def test_a_file_of_what_could_not_be_linked_is_named(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without links, an environment is missing in the copy; one with a single file in it would mislead the program."""
    monkeypatch.setattr(copies, "can_refuse", lambda: False)
    before = look(mine)
    with pytest.raises(ScratchError, match=r"venv/lib/x\.py cannot be changed for this run: .*venv is not copied"):
        run(mine, "", COPY, edits=(edit(mine / "venv" / "lib" / "x.py"),))
    assert look(mine) == before


@both
def test_an_edit_that_fails_is_no_word_on_the_machine(
    mine: Path, isolation: Isolation, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(mine, "", isolation).discard()
    before = dict(local._refused)
    with pytest.raises(ScratchError, match=r"a\.txt/below\.py cannot be changed for this run: "):
        run(mine, "", isolation, edits=(edit(mine / "a.txt" / "below.py"),))
    assert local._refused == before
    run(mine, "", isolation).discard()


@both
def test_edits_in_a_folder_that_is_open_for_writing(mine: Path, isolation: Isolation) -> None:
    """There, the program's own writes are real, but stetho's are not."""
    before = look(mine)
    opened = Isolation(writes=(str(mine),), copy=isolation.copy)
    ran = run(mine, "print(open('a.txt').read())", opened, edits=(edit(mine / "a.txt"),))
    assert ran.output.read_text() == "changed\n"
    ran.discard()
    if not isolation.copy:
        with pytest.raises(ScratchError, match="a new file in a folder that is open for writing"):
            run(mine, "", opened, edits=(edit(mine / "new.txt"),))
    assert look(mine) == before


@both
def test_a_copy_is_blamed_on_the_machine_only_if_it_refused(tmp_path: Path, isolation: Isolation) -> None:
    ran = run(tmp_path, "", isolation)
    assert [note for note in ran.notes if "copy" in note] == (
        ["the command ran in a copy of the project"] if isolation.copy else []
    )
    ran.discard()


def test_a_folder_named_like_an_environment_is_part_of_the_program(tmp_path: Path) -> None:
    for name in ("env/maze.py", "venv/pyvenv.cfg", "venv/x.py", "sub/env/conda-meta/x", ".git/config"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert list(_files(str(tmp_path), "")) == [str(tmp_path / "env" / "maze.py")]
    ran = run(tmp_path, "import os; print(*(os.path.islink(p) for p in ('env', 'venv', 'sub/env', '.git')))", COPY)
    assert ran.output.read_text() == "False True True True\n"
    ran.discard()


AS_USER = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
from pathlib import Path
from isolation.rooms import COPY, OVERLAY, run
from isolation.test_edits import NAMES, READ, edit
folder = Path("project").resolve()
isolation = COPY if sys.argv[2] == "copy" else OVERLAY
ran = run(folder, READ, isolation, edits=tuple(edit(folder / name) for name in NAMES))
print(ran.overlay, ran.code, ran.output.read_text())
ran.discard()
"""


@pytest.mark.skipif(os.getuid() != 0 or shutil.which("setpriv") is None, reason="needs root and setpriv")
@both
def test_edits_without_the_powers_of_root(mine: Path, isolation: Isolation) -> None:
    form = "copy" if isolation.copy else "overlay"
    powers = [f"--{which}=-sys_admin,-dac_override" for which in ("bounding-set", "inh-caps")]
    before = look(mine.parent)
    done = subprocess.run(
        ["setpriv", *powers, sys.executable, "-c", AS_USER, json.dumps(sys.path), form],
        cwd=mine.parent, capture_output=True, text=True, env=environment(), timeout=60,
    )  # fmt: skip
    if "allows no overlay" in done.stderr:
        pytest.skip("this machine allows no overlay")
    seen = " ".join(["changed"] * len(NAMES))
    assert done.stdout.strip() == f"{not isolation.copy} 0 {seen}", done.stdout + done.stderr
    assert look(mine.parent) == before
