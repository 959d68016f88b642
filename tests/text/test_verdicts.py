"""Whole post-mortems of one log each: what its last words prove, what they only suggest, and what is no failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from stetho.case import Request
from stetho.post_mortem import judge
from stetho.verdict import Verdict

STEPS = "".join(f"2024-05-01 12:00:{n % 60:02d} INFO step {n}/1000 loss {3 - n * 0.01:.3f}\n" for n in range(120))
RAISED = (
    'Traceback (most recent call last):\n  File "train.py", line 12, in <module>\n    main()\n'
    '  File "/usr/lib/python3.11/site-packages/torch/x.py", line 3, in f\n    g()\n'
)
SLURM = "slurmstepd: error: "
WATCHDOG = (
    "[rank1]:[E501 12:00:00.000 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=42, OpType=ALLREDUCE) ran for 600029 milliseconds before timing out.\n"
)
ZIP = "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory\n"
XID = "NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=python, GPU has fallen off the bus.\n"


def verdict_on(tmp_path: Path, text: str) -> Verdict:
    log = tmp_path / "run.log"
    log.write_text(text)
    (run,) = judge(tmp_path / ".stetho", Request((), str(tmp_path), 0, 60.0, None, False, 0.0), str(log)).runs
    return run.verdict


@pytest.mark.parametrize(
    ("end", "status", "cause"),
    [
        ("Killed\nOut of memory: Killed process 4711 (python) total-vm:98765432kB\n", "established", "env/host-oom"),
        (f"{SLURM}Detected 1 oom_kill event in StepId=1.0.\n", "established", "env/host-oom"),
        (
            f"{SLURM}*** JOB 1 ON n CANCELLED AT 2024-05-01T12:00:00 DUE TO TIME LIMIT ***\n",
            "established",
            "env/killed",
        ),
        ("Killed\n", "suspected", "env/killed"),
        (
            RAISED + "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 1.00 TiB for an array\n",
            "established",
            "env/host-oom",
        ),
        (
            "Fatal Python error: Segmentation fault\n\nCurrent thread 0x7f (most recent call first):\n"
            '  File "train.py", line 7 in <module>\n',
            "established",
            "env/exception",
        ),
        (XID + RAISED + "RuntimeError: CUDA error: unspecified launch failure\n", "established", "env/gpu-fault"),
        (
            RAISED + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\n",
            "established",
            "env/device-oom",
        ),
        ("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n", "established", "env/device-oom"),
        (RAISED + "OSError: [Errno 28] No space left on device: 'out.pt'\n", "established", "env/disk-full"),
        (
            RAISED + "RuntimeError: DataLoader worker (pid 1) is killed by signal: Killed.\n",
            "established",
            "env/worker-crash",
        ),
        (WATCHDOG + "terminate called after throwing an instance of 'c10::Error'\n", "suspected", "env/hang"),
        (
            RAISED + "RuntimeError: Detected mismatch between collectives on ranks.\n",
            "established",
            "dist/collective-mismatch",
        ),
        (RAISED + "OSError: [Errno 5] Input/output error: '/data/train.bin'\n", "established", "env/slow-storage"),
        (RAISED + ZIP, "established", "env/checkpoint-corrupt"),
        (RAISED + "RuntimeError: operator torchvision::nms does not exist\n", "established", "env/version-mismatch"),
        (RAISED + "KeyError: 'lr'\n", "established", "env/exception"),
        ("Training complete in 3 s\n", "clear", "none/healthy"),
    ],
)
def test_the_last_words_decide(tmp_path: Path, end: str, status: str, cause: str) -> None:
    verdict = verdict_on(tmp_path, STEPS + end)
    assert (verdict.status, verdict.hypotheses[0].cause) == (status, cause)
    assert (verdict.claim is not None) == (status == "established")


@pytest.mark.parametrize("said", ["RuntimeError: CUDA out of memory. Trying a smaller batch\n", XID, ZIP])
def test_what_the_program_survived_is_not_the_cause(tmp_path: Path, said: str) -> None:
    assert verdict_on(tmp_path, said + STEPS + "Training complete in 3 s\n").status == "clear"
