"""Mounts below a project stay in sight and are protected, with the powers of root and without them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import environment
from isolation.rooms import look
from stetho.isolation.room.table import mounts, unescaped

# As its own root, a shell lays mounts: a data set, one below it, a single file, and one that can only be read.
MOUNTING = """
mount -t tmpfs data project/data && echo set > project/data/set.txt && mkdir project/data/deep &&
mount -t tmpfs deep project/data/deep && echo deep > project/data/deep/file.txt &&
mount --bind single.txt project/single.txt && mount -t tmpfs -o ro closed project/closed &&
"$@" && cat project/data/set.txt project/data/deep/file.txt project/single.txt && ls project/data project/data/deep
"""
PROGRAM = """
import os, pathlib, shutil, subprocess
for name in ("data/set.txt", "data/deep/file.txt", "single.txt", "own.txt"):
    print(pathlib.Path(name).read_text().strip(), end=" ")
    with open(name, "a") as file: file.write("more")
pathlib.Path("data/new").write_text("x"); pathlib.Path("data/deep/new").write_text("x")
subprocess.run(["rm", "-rf", "data/deep/file.txt", "old/one"], check=True)
try: open("closed/x", "w")
except OSError as error: print(error.strerror)
print(os.getuid(), open("own.txt").read())
"""
RUN = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
from pathlib import Path
from isolation.rooms import run
ran = run(Path("project").resolve(), Path("program.py").read_text())
print(ran.output.read_text().strip(), ran.overlay, ran.code, ran.notes)
ran.discard()
"""
NO_POWER = ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"]


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare")
@pytest.mark.parametrize("without", [[], NO_POWER], ids=["root", "user"])
def test_mounts_below_a_project(without: list[str], tmp_path: Path) -> None:
    if without and shutil.which("setpriv") is None:
        pytest.skip("needs setpriv")
    for name in ("project/data", "project/closed", "project/old/one"):
        (tmp_path / name).mkdir(parents=True)
    for name, text in (("single.txt", "single\n"), ("project/single.txt", ""), ("project/own.txt", "own ")):
        (tmp_path / name).write_text(text)
    (tmp_path / "program.py").write_text(PROGRAM)
    before = look(tmp_path)
    python = [sys.executable, "-c", RUN, json.dumps(sys.path)]
    entered = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-Urm"]
    done = subprocess.run(
        [*entered, "sh", "-ec", MOUNTING, "sh", *without, *python],
        cwd=tmp_path, capture_output=True, text=True, env=environment(), timeout=60,
    )  # fmt: skip
    if "mount:" in done.stderr or "unshare:" in done.stderr or "allows no overlay" in done.stderr:
        pytest.skip("nothing can be mounted here")
    user = 0 if entered[-1] == "-Urm" else os.getuid()
    assert done.stdout.splitlines() == [
        "set deep single own Read-only file system",
        f"{user} own more True 0 ()",
        "set", "deep", "single", "project/data:", "deep", "set.txt", "", "project/data/deep:", "file.txt",
    ], done.stderr  # fmt: skip
    assert look(tmp_path) == before


def test_names_in_the_table_of_mounts() -> None:
    assert unescaped(r"/a\040b\011c") == "/a b\tc"
    table = mounts()
    assert table[0].point == "/" and len({mount.point for mount in table}) == len(table)
