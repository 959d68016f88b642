"""A process was ended by SIGKILL.

## What it tells
That it was killed from outside: by the kernel for memory, by a scheduler or by a person.

## What it does not tell
Which of them it was; the kernel's own log has the line that says so.
"""

from stetho.phrase import Phrase

process_killed = Phrase(
    id="process-killed",
    says="a process was killed (SIGKILL)",
    words=(
        "killed",
        "sigkill",
        "exited on signal",
    ),
    patterns=(
        r"^make(?:\[0\])?: \*\*\* .{1,200}\] Killed",
        r"^Killed$",
        r"Killed {1,40}(?:python|torchrun|accelerate|srun)",
        r": 0 Killed ",
        r"\(SIGKILL\)",
        r"Signals\.SIGKILL",
        r"signal: [Kk]illed",
        r"killed by signal: (?:SIGKILL|Killed)",
        r"task 0: Killed",
        r"exited on signal 0 \(Killed\)",
    ),
    fires=(
        "make: *** [Makefile:12: train] Killed",
        "subprocess.CalledProcessError: Command '['python']' died with <Signals.SIGKILL: 9>.",
        "child process ended by signal: killed",
        "RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed.",
        "mpirun noticed that process rank 0 with PID 4711 on node node01 exited on signal 9 (Killed).",
        "Killed",
        "./run.sh: line 3:  4711 Killed                  python train.py",
        "traceback : Signal 9 (SIGKILL) received by PID 4711",
        "srun: error: node01: task 0: Killed",
    ),
    quiet=(
        "killed the old process",
        "3 enemies killed",
    ),
    ended="SIGKILL",
)
