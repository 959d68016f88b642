"""Running the command, ending all that it has started, and telling how it ended.

In a process namespace this process's child is the first one, and with it the kernel ends all others. Elsewhere this
process adopts whatever loses its parent, and ends them itself.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys

from . import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType
    from typing import NoReturn

NOT_FOUND = 127
# Seconds between two looks for a parent that may have died.
LOOK = 0.5


def start(command: Sequence[str], environment: dict[str, str], before: Callable[[], None]) -> int:
    """The command as a child in a session of its own: what it sends to its group is not meant for this process."""
    child = os.fork()
    if child:
        return child
    try:
        if sys.platform.startswith("linux"):
            kernel.die_with_parent(signal.SIGKILL)
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        before()
        os.execvpe(command[0], list(command), environment)
    except OSError as error:
        sys.stderr.write(f"stetho: cannot start {command[0]}: {error.strerror}\n")
    os._exit(NOT_FOUND)


def reap(child: int) -> int:
    """Bury the dead, whoever they are, until this one is among them; how it ended."""
    while True:
        pid, status = os.wait()
        if pid == child:
            return status


def end_like(status: int) -> NoReturn:
    """End this process just as the command ended: by the same code, or by the same signal."""
    if not os.WIFSIGNALED(status):
        os._exit(os.WEXITSTATUS(status))
    number = os.WTERMSIG(status)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    os.kill(os.getpid(), number)
    os._exit(128 + number)


def guard_namespace(first: int, told: int) -> NoReturn:
    """Wait for the first process of a namespace, which says by pipe how the command ended; its end is that of all."""

    def end(number: int, frame: FrameType | None) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(first, signal.SIGKILL)

    signal.signal(signal.SIGTERM, end)
    with os.fdopen(told, "rb") as pipe:
        status = pipe.read()
    _, own = os.waitpid(first, 0)
    end_like(int(status) if status else own)


def guard_family(start_command: Callable[[], int]) -> NoReturn:
    """The same without a namespace: adopt all that the command starts, and end them with it."""
    if sys.platform.startswith("linux"):
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    child = start_command()

    def end(number: int, frame: FrameType | None) -> None:
        end_family()
        os.kill(os.getpid(), signal.SIGKILL)

    def look_for_parent(number: int, frame: FrameType | None) -> None:
        if os.getppid() == 1:
            end(number, frame)

    signal.signal(signal.SIGTERM, end)
    if not sys.platform.startswith("linux"):
        # Only Linux says so when a parent dies.
        signal.signal(signal.SIGALRM, look_for_parent)
        signal.setitimer(signal.ITIMER_REAL, LOOK, LOOK)
    status = reap(child)
    end_family()
    end_like(status)


def end_family() -> None:
    """End every descendant; those whose parents die meanwhile come to this process, and it looks again."""
    while True:
        for pid in descendants(os.getpid()):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            # One of the dead is waited for; the others, and orphans, are found by the next look.
            os.wait()
        except ChildProcessError:
            return


def descendants(root: int) -> list[int]:
    """Every process below one, from the table of processes."""
    parents = dict(_parents())
    found = {root}
    while True:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        if not more:
            return sorted(found - {root})
        found |= more


def _parents() -> list[tuple[int, int]]:
    if not os.path.isdir("/proc/self"):
        import subprocess

        lines = subprocess.run(["ps", "-axo", "pid=,ppid="], capture_output=True, text=True, check=False).stdout
        return [(int(pid), int(parent)) for pid, parent in map(str.split, lines.splitlines())]
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as handle:
                # The name of the program, in parentheses, may hold anything.
                found.append((int(name), int(handle.read().rpartition(b")")[2].split()[1])))
    return found
