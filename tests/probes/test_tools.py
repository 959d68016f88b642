"""Tools of machines that are not at hand: stand-ins on PATH print what the real ones were seen to print."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from stetho.facts import Disks, Gpus, KernelLog, SchedulerJob
from stetho.probe import Target
from stetho.probes.gpus import gpus

from .looking import fact, fired, look, program, silent

SAMPLES = Path(__file__).parent / "samples"


class Tools:
    """A folder on PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def add(self, name: str, script: str) -> None:
        tool = self.folder / name
        tool.write_text(f"#!/bin/sh\n{script}\n")
        tool.chmod(0o755)


@pytest.fixture
def tools(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Tools:
    made = Tools(tmp_path_factory.mktemp("tools") / "bin")
    monkeypatch.setenv("PATH", f"{made.folder}:{os.environ['PATH']}")
    return made


def uptime() -> float:
    return float(Path("/proc/uptime").read_text().split()[0])


def dead() -> int:
    ended = subprocess.Popen(["true"])
    ended.wait()
    return ended.pid


def test_a_kill_of_the_process_asked_about_is_told_with_its_group(tmp_path: Path, tools: Tools) -> None:
    pid = dead()
    lines = (SAMPLES / "dmesg.txt").read_text().replace("4711", str(pid)).split("\n")[23:31]
    (tmp_path / "run.log").write_text("step 10\n")
    tools.add("dmesg", "cat <<'END'\n" + "\n".join(lines) + "\nEND")
    report = look(tmp_path, pid)
    assert {"oom-killed", "process-dead"} <= fired(report)
    (finding,) = [one for one in report.findings if one.check == "oom-killed"]
    assert "/system.slice/docker-1f2e.scope" in finding.message and "15.9 GB" in finding.message
    assert fact(report, KernelLog).family == (pid,)


@pytest.mark.parametrize(("before", "tells"), [(5.0, True), (4000.0, False)])
def test_a_kill_at_the_time_when_the_folder_fell_silent(
    tmp_path: Path, tools: Tools, before: float, tells: bool
) -> None:
    silent(tmp_path, 600)
    at = uptime() - 600 + (before if tells else -before)
    said = "Out of memory: Killed process 9 (python3.11) total-vm:4kB, anon-rss:4kB, file-rss:0kB, shmem-rss:0kB"
    tools.add("dmesg", f"echo '[{at:.6f}] {said}'")
    assert ("oom-killed" in fired(look(tmp_path))) is tells


def test_devices_with_the_runs_own_process_on_one(tmp_path: Path, tools: Tools) -> None:
    rows = (SAMPLES / "nvidia-smi.txt").read_text().strip()
    with program(tmp_path, "print('ready')\nwhile True: pass") as running:
        users = f"GPU-2f0c8f0e-1111-2222-3333-444455556666, {running.pid}, 45000"
        again = "GPU-2f0c8f0e-1111-2222-3333-444455556666, 0\nGPU-2f0c8f0e-1111-2222-3333-444455557777, 99"
        choices = f"*compute-apps*) echo '{users}';; *gpu=uuid*) echo '{again}';; *) cat <<'END'\n{rows}\nEND\n;;"
        tools.add("nvidia-smi", f'case "$1" in {choices} esac')
        report = look(tmp_path)
    found = fact(report, Gpus)
    assert found.driver == "550.54.15" and len(found.gpus) == 3
    assert found.gpus[0].processes[0].ours and set(found.gpus[0].use) == {0} and len(found.gpus[0].use) > 1
    assert found.gpus[1].use[0] == 100 and found.gpus[1].use[-1] == 99
    # It has only just begun, so that an idle device is no wonder; the third one is slowed by its hardware.
    assert fired(report) == {"gpu-throttled"}


def test_a_driver_that_does_not_answer_is_unknown(tmp_path: Path, tools: Tools) -> None:
    why = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
    tools.add("nvidia-smi", f'echo "{why}"; exit 9')
    (section,) = [one for one in look(tmp_path).sections if one.probe == "gpus"]
    assert "communicate with the NVIDIA driver" in section.unknown[0].why and not section.seen


def test_a_dead_job_is_found_by_the_name_of_its_log(tmp_path: Path, tools: Tools) -> None:
    silent(tmp_path, 5000, "slurm-991.out")
    tools.add("sacct", f'test "$2" = 991 && head -3 {SAMPLES / "sacct.txt"}')
    report = look(tmp_path)
    assert [job.state for job in fact(report, SchedulerJob).jobs] == ["OUT_OF_MEMORY", "OUT_OF_MEMORY", "COMPLETED"]
    assert "job-ended-by-scheduler" in fired(report)


def test_a_job_without_books_is_asked_of_the_queue_and_else_unknown(tmp_path: Path, tools: Tools) -> None:
    tools.add("sacct", "echo 'Slurm accounting storage is disabled' >&2; exit 1")
    tools.add("squeue", "echo '77|train|RUNNING|59:50|1:00:00|None'")
    with program(tmp_path, "print('ready')\nwhile True: pass", SLURM_JOB_ID="77"):
        report = look(tmp_path)
        assert fact(report, SchedulerJob).jobs[0].limit == 3600
        assert "job-ended-by-scheduler" in fired(report)
        tools.add("squeue", "exit 1")
        (section,) = [one for one in look(tmp_path).sections if one.probe == "scheduler"]
    (gap,) = section.unknown
    assert gap.what == "Slurm job 77" and gap.instead.startswith("sacct -j 77")


def test_a_quota_that_is_used_up(tmp_path: Path, tools: Tools) -> None:
    device = fact(look(tmp_path), Disks).places[0].device
    tools.add("quota", f"echo 'Disk quotas for user me'; echo '{device} 1000* 900 1000 6days 1 0 0'")
    report = look(tmp_path)
    assert fact(report, Disks).places[0].quota_limit == 1000 * 1024
    assert "disk-nearly-full" in fired(report)


def test_nvml_is_asked_where_python_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class NVMLError(Exception):
        pass

    def refuse(*arguments: object) -> None:
        raise NVMLError("not supported")

    stub = ModuleType("pynvml")
    stub.__dict__.update(
        NVMLError=NVMLError,
        NVML_MEMORY_ERROR_TYPE_UNCORRECTED=1,
        NVML_VOLATILE_ECC=0,
        NVML_TEMPERATURE_GPU=0,
        nvmlInit=lambda: None,
        nvmlDeviceGetCount=lambda: 1,
        nvmlDeviceGetHandleByIndex=lambda n: n,
        nvmlDeviceGetUtilizationRates=lambda handle: SimpleNamespace(gpu=42),
        nvmlDeviceGetName=lambda handle: b"NVIDIA T4",
        nvmlDeviceGetMemoryInfo=lambda handle: SimpleNamespace(used=5, total=9),
        nvmlDeviceGetPowerUsage=lambda handle: 70_000,
        nvmlDeviceGetEnforcedPowerLimit=refuse,
        nvmlDeviceGetCurrentClocksThrottleReasons=lambda handle: 0x41,
        nvmlDeviceGetTotalEccErrors=refuse,
        nvmlDeviceGetTemperature=lambda handle, kind: 66,
        nvmlDeviceGetComputeRunningProcesses=lambda handle: [SimpleNamespace(pid=11, usedGpuMemory=4)],
        nvmlSystemGetDriverVersion=lambda: "550.1",
    )
    monkeypatch.setitem(sys.modules, "pynvml", stub)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    (seen,) = gpus.function(Target(Path("/"), family=(11,)))
    found = getattr(seen, "fact")  # noqa: B009 - an Unknown has none
    assert isinstance(found, Gpus)
    (gpu,) = found.gpus
    assert (gpu.name, gpu.use, gpu.power, gpu.power_limit) == ("NVIDIA T4", (42,) * 4, 70.0, None)
    assert gpu.throttled == ("hw-thermal",) and gpu.processes[0].ours
