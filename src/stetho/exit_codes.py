"""What exit codes and signals mean in words, for programs, shells and Slurm."""

from __future__ import annotations

import signal as signals

CODES = {
    0: "ended well",
    1: "ended with an error, usually an exception",
    2: "was called wrongly",
    126: "could not be executed",
    127: "was not found",
}
SIGNALS = {
    "SIGKILL": "killed: for want of memory, by a scheduler, or by hand",
    "SIGTERM": "asked to end: a time limit, preemption, or a launcher that ends the other ranks",
    "SIGINT": "interrupted, as by Ctrl-C",
    "SIGHUP": "its terminal or its connection was lost",
    "SIGSEGV": "crashed in native code (segmentation fault)",
    "SIGABRT": "gave up in native code: an assertion, or a watchdog of NCCL",
    "SIGBUS": "touched memory without backing: often a full /dev/shm or a file that was cut short",
    "SIGFPE": "divided by zero in native code",
    "SIGILL": "met an instruction that this processor does not have",
    "SIGUSR1": "was told by its scheduler that its time is nearly up",
    "SIGXCPU": "used up its processor time",
    "SIGPIPE": "wrote to a pipe that nobody reads",
}


def explained(code: int | None, signal: int | None = None) -> str:
    """An exit code and a signal in words; a shell tells a signal by a code above 128."""
    if not signal and code is not None and 128 < code <= 128 + 64:
        signal = code - 128
    if signal == 125:
        return "killed for want of memory (Slurm's signal 125)"
    if signal:
        name = name_of(signal)
        return f"{name}: {SIGNALS[name]}" if name in SIGNALS else name
    if code is None:
        return ""
    return CODES.get(code, f"ended with code {code}")


def name_of(signal: int) -> str:
    try:
        return signals.Signals(signal).name
    except ValueError:
        return f"signal {signal}"
