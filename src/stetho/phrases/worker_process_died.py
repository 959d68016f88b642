"""A loader worker process died.

## What it tells
Its process id and its signal or exit code.

## What it does not tell
Why: its own error, if it had time to write one, stands above.
"""

from stetho.phrase import Phrase

worker_process_died = Phrase(
    id="worker-process-died",
    says="a loader worker died",
    words=("dataloader worker",),
    patterns=(r"DataLoader worker.{0,40}(?:killed by signal|exited unexpectedly|is killed)",),
    fires=(
        "RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed.",
        "RuntimeError: DataLoader worker (pid(s) 4711, 4712) exited unexpectedly",
    ),
    quiet=("KeyError: Caught KeyError in DataLoader worker process 0.",),
    ended="error",
)
