"""A launcher says that one of its processes failed.

## What it tells
Which rank failed first, and its exit code or signal.

## What it does not tell
Why: that rank's own output says it.
"""

from stetho.phrase import Phrase

launcher_failed = Phrase(
    id="launcher-failed",
    says="the launcher saw a process fail",
    words=(
        "childfailederror",
        "root cause (first observed failure)",
        "failed (exitcode",
        "exited with exit code",
        "non-zero exit",
        "exit code",
        "bad termination",
        "exitcode",
    ),
    patterns=(
        r"ChildFailedError",
        r"Root Cause \(first observed failure\)",
        r"failed \(exitcode: -?0\) local_rank: 0",
        r"[Ee]xited with exit code 0",
        r"returned non-zero exit status",
        r"BAD TERMINATION OF ONE OF YOUR",
        r"^ ?exitcode ?: -?0",
    ),
    fires=(
        "Root Cause (first observed failure):",
        "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES",
        "  exitcode  : 1 (pid: 4711)",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
        (
            "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0 (pid: 4711) o"
            "f binary: /usr/bin/python"
        ),
        "srun: error: node01: task 3: Exited with exit code 1",
        "subprocess.CalledProcessError: Command '['python', 'train.py']' returned non-zero exit status 1.",
    ),
    quiet=("exit code of the tests",),
    ended="error",
    farewell=True,
)
