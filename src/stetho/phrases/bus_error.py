"""A process died as memory that it had mapped could not be had.

## What it tells
Mostly that shared memory (/dev/shm) is full, or that a mapped file was cut.

## What it does not tell
Which of the two.
"""

from stetho.phrase import Phrase

bus_error = Phrase(
    id="bus-error",
    says="a bus error",
    words=(
        "bus error",
        "sigbus",
    ),
    patterns=(
        r"line 0: 0 Bus error",
        r"^Bus error",
        r"Bus error \(core dumped\)",
        r"\bSIGBUS\b",
        r"[Uu]nexpected bus error",
        r"Fatal Python error: Bus error",
    ),
    fires=(
        "./run.sh: line 3:  4711 Bus error               python train.py",
        "traceback : Signal 7 (SIGBUS) received by PID 4711",
        "Fatal Python error: Bus error",
        "Bus error (core dumped)",
        (
            "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memor"
            "y (shm)."
        ),
    ),
    quiet=("the bus error rate of CAN frames",),
    ended="SIGBUS",
)
