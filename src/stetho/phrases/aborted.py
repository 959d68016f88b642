"""A process ended itself because native code met something impossible.

## What it tells
A failed assertion, a C++ exception or a watchdog; the line before says which.

## What it does not tell
Whether the program or a library is at fault.
"""

from stetho.phrase import Phrase

aborted = Phrase(
    id="aborted",
    says="a process aborted",
    words=(
        "aborted",
        "sigabrt",
        "terminate called",
        "double free",
        "free(): invalid",
        "corrupted size",
    ),
    patterns=(
        r"line 0: 0 Aborted ",
        r"^Aborted$",
        r"Aborted \(core dumped\)",
        r"Fatal Python error: Aborted",
        r"\bSIGABRT\b",
        r"terminate called after throwing",
        r"terminate called without",
        r"double free or corruption",
        r"free\(\): invalid",
        r"corrupted size vs\. prev_size",
    ),
    fires=(
        "Aborted",
        "./run.sh: line 3:  4711 Aborted                 python train.py",
        "Fatal Python error: Aborted",
        "traceback : Signal 6 (SIGABRT) received by PID 4711",
        "terminate called without an active exception",
        "free(): invalid pointer",
        "corrupted size vs. prev_size",
        "Aborted (core dumped)",
        "terminate called after throwing an instance of 'c10::Error'",
        "double free or corruption (out)",
    ),
    quiet=(
        "the upload was aborted and is tried again",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ),
    ended="SIGABRT",
)
