"""A twin takes half of the memory that is to spare, by the tightest limit around the process, and no more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import environment
from stetho.observer.replay import room

MEMINFO = "MemTotal:       16000000 kB\nMemFree:          100000 kB\nMemAvailable:    8000000 kB\n"
GIB = 2**30


def system(folder: Path, files: dict[str, str]) -> str:
    """A root folder with these files of the kernel's in it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(folder)


def test_without_groups_the_machine_says_what_there_is(tmp_path: Path) -> None:
    root = system(tmp_path, {"proc/meminfo": MEMINFO, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max"})
    assert room.to_spare(root) == 8_000_000 * 1024


@pytest.mark.parametrize(
    ("cgroup", "top", "names"),
    [
        ("0::/job/step\n", "sys/fs/cgroup", room.GROUPS[0]),
        ("5:cpu:/other\n4:memory:/job/step\n", "sys/fs/cgroup/memory", room.GROUPS[1]),
    ],
    ids=["version 2", "version 1"],
)
def test_the_tightest_group_counts_also_one_further_out(
    cgroup: str, top: str, names: tuple[str, str, str], tmp_path: Path
) -> None:
    most, used, cached = names
    files = {
        "proc/meminfo": MEMINFO,
        "proc/self/cgroup": cgroup,
        f"{top}/job/{most}": str(4 * GIB),
        f"{top}/job/{used}": str(3 * GIB),
        f"{top}/job/memory.stat": f"anon 5\n{cached} {GIB}\n",
        f"{top}/job/step/{most}": str(6 * GIB),
        f"{top}/job/step/{used}": str(1 * GIB),
    }
    assert room.to_spare(system(tmp_path, files)) == 2 * GIB


def test_where_nothing_is_known_there_is_no_bound(tmp_path: Path) -> None:
    assert room.to_spare(str(tmp_path)) is None
    assert room.size(str(tmp_path)) is None


PROGRAM = """
import sys
from stetho.observer.replay import room
room.to_spare = lambda: 400 * 2**20
room.take_half(int(sys.argv[1]))
try:
    taken = bytearray(int(sys.argv[2]) * 2**20)
    print("had")
except MemoryError as error:
    print(room.exceeded(error))
"""


@pytest.mark.parametrize(("sharing", "wanted", "said"), [(1, 150, "had"), (1, 250, "True"), (4, 150, "True")])
def test_what_is_beyond_the_bound_cannot_be_had(sharing: int, wanted: int, said: str) -> None:
    command = [sys.executable, "-c", PROGRAM, str(sharing), str(wanted)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment())
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == said
