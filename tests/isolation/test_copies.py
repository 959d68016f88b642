"""The copy that stands in where no overlay can be had: what it holds, where its links lead, which modules it finds."""

from __future__ import annotations

import os
import socket
import stat
import sys
from pathlib import Path

import pytest

from isolation.rooms import COPY, look, project, run
from stetho.errors import ScratchError
from stetho.executors import local
from stetho.experiment import Bound, Job
from stetho.isolation import copies, likeness
from stetho.isolation.copies import moved
from stetho.scratch import Way


def test_paths_are_moved_whole_or_not_at_all() -> None:
    pairs = [("/copy", "/me/p")]
    assert moved("--data=/me/p/x:/me/p", pairs) == "--data=/copy/x:/copy"
    assert moved("/me/project /me/p.txt /me/p", pairs) == "/me/project /me/p.txt /copy"


def test_odd_things_in_a_project(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    outside = tmp_path / "outside.txt"
    outside.write_text("outside")
    (folder / "absolute").symlink_to(folder / "best.pt")
    (folder / "beyond").symlink_to("../outside.txt")
    (folder / "dangling").symlink_to("nowhere")
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("main")
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as odd:
        odd.bind(str(folder / "socket"))
        before = {name: looks for name, looks in look(folder).items() if name not in ("pipe", "socket")}
        code = """
import os
for name in ("absolute", "link", "beyond", ".git/HEAD"): print(name, open(name).read().strip())
open("absolute", "w").write("mine"); print(open("best.pt").read())
for name in ("beyond", ".git/HEAD", "large.bin"):
    try: open(name, "w")
    except PermissionError: print("refused")
print(os.path.lexists("dangling"), os.path.exists("pipe"), os.path.exists("socket"))
"""
        ran = run(folder, code, COPY)
    assert ran.output.read_text().splitlines() == [
        "absolute the user's own best.pt", "link the user's own best.pt", "beyond outside", ".git/HEAD main", "mine",
        "refused", "refused", "refused", "True True False",
    ]  # fmt: skip
    assert {name: looks for name, looks in look(folder).items() if name in before} == before
    assert outside.read_text() == "outside"
    ran.discard()


def test_a_crowded_folder_is_linked_and_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likeness, "CROWDED", 10)
    (tmp_path / "p" / "images").mkdir(parents=True)
    for number in range(11):
        (tmp_path / "p" / "images" / f"{number}.png").write_text("x")
    ran = run(tmp_path / "p", "import os; print(len(os.listdir('images'))); open('images/new', 'w')", COPY)
    assert ran.output.read_text().startswith("11\n") and ran.code == 1
    assert any("images holds many files and could only be read" in note for note in ran.notes)
    ran.discard()


def test_an_installed_project_is_found_in_the_copy(tmp_path: Path) -> None:
    """Installed for editing, a project is on the path by its original name; changes are made in the copy."""
    folder = tmp_path / "project"
    (folder / "src" / "package").mkdir(parents=True)
    (folder / "src" / "package" / "__init__.py").write_text("")
    (folder / "train.py").write_text("import package; print(package.__file__)\n")
    installed = tmp_path / "user" / "lib" / f"python3.{sys.version_info[1]}" / "site-packages"
    installed.mkdir(parents=True)
    (installed / "editable.pth").write_text(f"{folder / 'src'}\n")
    # An environment of its own knows no packages of the user's.
    python = getattr(sys, "_base_executable", sys.executable)
    variables = {"PYTHONUSERBASE": str(tmp_path / "user"), "PYTHONPATH": ""}
    ran = run(folder, [python, "train.py"], COPY, **variables)
    assert ran.output.read_text().strip() == f"{ran.folder}/copy0/src/package/__init__.py"
    assert ran.users_path(ran.output.read_text().strip()) == str(folder / "src" / "package" / "__init__.py")
    ran.discard()


def test_the_path_of_an_interpreter_follows_the_copy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from types import ModuleType

    from stetho.observer.moved import follow

    (tmp_path / "copy" / "src").mkdir(parents=True)
    finder = ModuleType("__editable___p_finder")
    finder.MAPPING = {"p": "/original/src", "q": "/original/elsewhere"}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, finder.__name__, finder)
    monkeypatch.setattr(sys, "path", ["/original/src", "/original-not/src", "/original/missing"])
    follow([[str(tmp_path / "copy"), "/original"]])
    assert sys.path == [f"{tmp_path}/copy/src", "/original-not/src", "/original/missing"]
    assert vars(finder)["MAPPING"] == {"p": f"{tmp_path}/copy/src", "q": "/original/elsewhere"}


def test_a_cache_can_be_read_and_written_beside_what_it_holds(tmp_path: Path) -> None:
    cache = tmp_path / "home" / ".cache" / "huggingface" / "hub"
    (cache / "blobs").mkdir(parents=True)
    (cache / "blobs" / "abc").write_text("weights")
    (cache / "model").symlink_to("blobs/abc")
    (tmp_path / "home" / ".config").mkdir()
    (tmp_path / "home" / ".netrc").write_text("secret")
    (tmp_path / "p").mkdir()
    before = look(tmp_path / "home")
    code = """
import os, pathlib
hub = pathlib.Path.home() / ".cache/huggingface/hub"
print((hub / "model").read_text(), (hub / "../../../.netrc").read_text(), os.environ["HF_HOME"] == str(hub.parent))
(hub / ".locks").mkdir(); (hub / ".locks" / "x").write_text("x"); (pathlib.Path.home() / "new").write_text("x")
"""
    ran = run(tmp_path / "p", code, COPY, HOME=str(tmp_path / "home"))
    assert ran.output.read_text() == "weights secret True\n"
    assert look(tmp_path / "home") == before
    ran.discard()


def test_nothing_is_linked_where_writes_cannot_be_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "can_refuse", lambda: False)
    folder = project(tmp_path / "project")
    (tmp_path / "outside.txt").write_text("outside")
    (folder / "beyond").symlink_to("../outside.txt")
    before = look(folder)
    ran = run(
        folder, "open('large.bin', 'w'); open('beyond', 'w'); import os; print(os.path.islink('large.bin'))", COPY
    )
    assert ran.output.read_text() == "False\n"
    assert look(folder) == before and (tmp_path / "outside.txt").read_text() == "outside"
    ran.discard()
    monkeypatch.setattr(likeness, "LARGEST_COPY", 1000)
    with pytest.raises(ScratchError, match="too much for a scratch copy"):
        run(folder, "", COPY)


def test_a_machine_that_refuses_overlays_gets_a_copy_and_is_not_asked_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "_refused", {})
    broken = tmp_path / "isolate.py"
    broken.write_text(refusing())
    monkeypatch.setattr("stetho.scratch.ISOLATE", broken)
    ran = local.run(Job((sys.executable, "-c", "print(1)"), str(tmp_path), 0, Bound(60.0)))
    assert not ran.overlay and ran.output.read_text() == "1\n"
    assert ran.notes[0].startswith(
        "this machine allows no overlay (Operation not permitted); the command ran in a copy"
    )
    assert Way(True, True) in local._refused and Way(True, False) in local._refused
    ran.discard()


def refusing() -> str:
    """A program that isolates as usual, except that it is not let into namespaces of mounts."""
    from stetho import scratch

    return (
        "import json, os, sys\nspec = json.load(open(sys.argv[1]))\n"
        "if spec['overlay']:\n"
        "    json.dump({'refused': 'namespaces', 'why': 'Operation not permitted'}, open(spec['report'], 'w'))\n"
        "    sys.exit(97)\n"
        f"os.execv(sys.executable, [sys.executable, '-I', '-S', {str(scratch.ISOLATE)!r}, sys.argv[1]])\n"
    )


def test_modes_of_a_project_are_kept(tmp_path: Path) -> None:
    tool = tmp_path / "tool.sh"
    tool.write_text("#!/bin/sh\necho ran\n")
    tool.chmod(0o755)
    ran = run(tmp_path, ["./tool.sh"], COPY)
    assert ran.output.read_text() == "ran\n" and stat.S_IMODE(tool.stat().st_mode) == 0o755
    ran.discard()
