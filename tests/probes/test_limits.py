"""Control groups of both versions, laid out as the kernel does: the strictest limit on the way up counts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from stetho.probes import limits

GB = 1 << 30


def lay(root: Path, files: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.setattr(limits, "ROOT", str(root))


V2 = {
    "cgroup.controllers": "cpu memory pids\n",
    "pod/memory.max": f"{16 * GB}\n",
    "pod/memory.current": f"{15 * GB}\n",
    "pod/memory.stat": f"anon {9 * GB}\ninactive_file {4 * GB}\nactive_file {1 * GB}\nfile {6 * GB}\n",
    "pod/memory.events": "low 0\nhigh 0\nmax 12\noom 2\noom_kill 2\n",
    "pod/cpu.max": "150000 100000\n",
    "pod/cpu.stat": "usage_usec 5\nnr_periods 200\nnr_throttled 50\n",
    "pod/pids.max": "4096\n",
    "pod/pids.current": "311\n",
    "pod/box/memory.max": "max\n",
    "pod/box/memory.events": "oom_kill 0\nmax 0\n",
    "pod/box/cpu.max": "max 100000\n",
    "pod/box/pids.max": "max\n",
}
V1 = {
    "memory/docker/1f/memory.limit_in_bytes": f"{8 * GB}\n",
    "memory/docker/1f/memory.usage_in_bytes": f"{8 * GB}\n",
    "memory/docker/1f/memory.stat": f"cache 1\ntotal_inactive_file {GB}\ntotal_active_file {GB}\n",
    "memory/docker/1f/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
    "memory/docker/1f/memory.failcnt": "99\n",
    "memory/memory.limit_in_bytes": "9223372036854771712\n",
    "cpu/docker/1f/cpu.cfs_quota_us": "400000\n",
    "cpu/docker/1f/cpu.cfs_period_us": "100000\n",
    "cpu/cpu.cfs_quota_us": "-1\n",
    "cpu/cpu.cfs_period_us": "100000\n",
    "pids/docker/1f/pids.max": "max\n",
}


def test_version_2_takes_the_limit_of_the_group_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, V2, monkeypatch)
    groups = limits.parse_groups("0::/pod/box\n")
    assert limits._memory(groups) == (16 * GB, 10 * GB, 2, 12)
    assert limits._cores(groups) == (1.5, 0.25)
    assert limits._processes(groups) == (4096, 311)


def test_version_1_knows_its_largest_number_as_no_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, V1, monkeypatch)
    groups = limits.parse_groups("9:memory:/docker/1f\n8:cpu,cpuacct:/docker/1f\n7:pids:/docker/1f\n0::/\n")
    assert limits._memory(groups) == (8 * GB, 6 * GB, 3, 99)
    assert limits._cores(groups) == (4.0, None)
    assert limits._processes(groups) == (None, None)
    assert limits._memory(limits.parse_groups("9:memory:/\n"))[0] is None


def test_a_container_that_sees_its_group_as_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = {name.removeprefix("pod/"): text for name, text in V2.items() if "box" not in name}
    lay(tmp_path, own, monkeypatch)
    # The path is the host's, and is not there inside.
    assert limits._memory(limits.parse_groups("0::/kubepods/pod12/abc\n"))[0] == 16 * GB


@pytest.mark.parametrize("text", ["", "max", "nonsense", "\0", "-5", "9" * 40, "12 12 12"])
def test_files_that_make_no_sense_are_no_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    lay(tmp_path, dict.fromkeys(V2, text), monkeypatch)
    groups = limits.parse_groups("0::/pod/box\n")
    found = (*limits._memory(groups), *limits._cores(groups), *limits._processes(groups))
    assert all(one is None or one >= 0 for one in found)


def test_no_groups_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ROOT", str(tmp_path))
    assert limits._memory({}) == (None, None, None, None)
    assert limits._cores({"": "/"}) == (None, None)
