"""A forked twin of the process, in which the program's own code may run again and nothing of it is felt outside.

What the twin inherits is cut off before any of that code runs: what it prints and writes goes nowhere, files are
neither made nor changed, handlers of signals and connections to other processes are not its own. What remains is
memory that the program shares with other processes or has mapped from a file to be written to.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import json
import logging
import os
import select
import signal
import stat
import sys
import time
from typing import Any, Callable, Iterator

from . import confinement, guard

# Changes to the outside that Python announces before it makes them, by how their names begin.
CHANGES = (
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink", "os.chmod", "os.chown",
    "os.utime", "os.kill", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "pty.spawn", "shutil.",
    "subprocess.", "socket.", "sqlite3.connect", "signal.pthread_kill", "tempfile.",
)  # fmt: skip
# Signals that ask a program to end; what is being written is still written.
GENTLE = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# What is kept so that it is not closed, or written out on being thrown away.
_kept: list[Any] = []
_sealed = [False]
_asking = [False]


def refusal() -> str | None:
    """Why this process should not be forked, if it should not."""
    if not hasattr(os, "fork"):
        return "this system cannot fork a process"
    if reaps(signal.getsignal(signal.SIGCHLD)):
        return "the program is told when a process that it started ends, and would take the replay for one of these"
    return None


def reaps(handler: Any) -> bool:
    """Whether somebody acts on the end of any child; torch's own loaders look at their workers only."""
    if handler in (signal.SIG_DFL, signal.SIG_IGN):
        return False
    if getattr(handler, "__module__", None) == "torch.utils.data._utils.signal_handling":
        names = handler.__code__.co_freevars
        cells = dict(zip(names, handler.__closure__ or ()))
        before = cells["previous_handler"].cell_contents if "previous_handler" in cells else None
        return before is not None and reaps(before)
    return True


def asked() -> bool:
    """Whether the process that has just been forked is a twin, which goes on with what its parent holds."""
    return _asking[0]


def ask(work: Callable[[], list[dict[str, Any]]], patience: float) -> list[dict[str, Any]]:
    """Fork, let the child work, and read what it found; the program waits so long."""
    reading, writing = os.pipe()
    _asking[0] = True
    try:
        child = os.fork()
    except OSError as error:
        os.close(reading)
        os.close(writing)
        return [{"why": f"the process could not be forked: {error.strerror}"}]
    finally:
        _asking[0] = False
    if child == 0:
        try:
            os.close(reading)
            answer(work, writing, patience)
        finally:
            os._exit(0)
    os.close(writing)
    try:
        text = read_all(reading, patience)
    finally:
        os.close(reading)
        end(child)
    try:
        return list(json.loads(text))
    except ValueError:
        return [{"why": "the replay did not finish"}]


def answer(work: Callable[[], list[dict[str, Any]]], writing: int, patience: float) -> None:
    """What the child does: cut itself off, work, write the findings."""
    cut_off(writing)
    signal.alarm(int(patience) + 1)
    try:
        found = work()
    except Exception as error:  # noqa: BLE001 - whatever happens in the twin is the twin's
        # Of long explanations the first sentence.
        said = str(error).partition("\n")[0].partition(". ")[0].partition(" (")[0]
        found = [{"why": f"the replay failed: {type(error).__name__}: {said}"[:300]}]
    data = json.dumps(found, default=str).encode()
    while data:
        data = data[os.write(writing, data) :]


def cut_off(keep: int = -1) -> None:
    """Make this child harmless: no handler, no output, no file and no other process is in its reach."""
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    offer_to_the_kernel()
    logging.disable(sys.maxsize)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for name in os.listdir("/dev/fd"):
        if int(name) not in (keep, nowhere):
            detach(int(name), nowhere)
    _kept.extend((sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__, sys.stdin))
    # Not only their descriptors: a notebook's streams have ways of their own out of a forked process.
    silent = os.fdopen(os.dup(nowhere), "w")
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = silent  # type: ignore[misc]
    leave_the_others()
    sys.addaudithook(refuse)
    builtins.open = io.open = silenced(builtins.open)
    silence_torch()
    confinement.confine([os.devnull] if guard.journal is None else [os.devnull, guard.journal.directory])
    seal(True)


def alone() -> None:
    """Make this child one that has nothing of the program's, and only writes files of the observer's."""
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_IGN if number in GENTLE else signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for name in os.listdir("/dev/fd"):
        if int(name) != nowhere:
            with contextlib.suppress(OSError):
                os.dup2(nowhere, int(name)) if int(name) < 3 else os.close(int(name))


def offer_to_the_kernel() -> None:
    """Where memory runs out because of the twin, the twin is to be ended and not the program."""
    try:
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")
    except OSError:
        return


def detach(descriptor: int, nowhere: int) -> None:
    """Let an inherited descriptor lead nowhere; a file that is only read stays, with a position of its own."""
    import fcntl

    try:
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISSOCK(kind):
            unplug(descriptor)
            return
        reads = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
        if stat.S_ISREG(kind) and reads:
            own = os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY)
            os.lseek(own, os.lseek(descriptor, 0, os.SEEK_CUR), os.SEEK_SET)
            os.dup2(own, descriptor)
            os.close(own)
            return
    except OSError:
        pass
    try:
        os.dup2(nowhere, descriptor)
    except OSError:
        return


def unplug(descriptor: int) -> None:
    """A socket whose other end is kept here: what is sent is heard by nobody, and nothing ever comes."""
    import socket

    mine, other = socket.socketpair()
    other.shutdown(socket.SHUT_WR)
    os.dup2(mine.fileno(), descriptor)
    mine.close()
    _kept.append(other)


def leave_the_others() -> None:
    """Forget the process group: a collective operation would speak to ranks that are not replaying."""
    distributed = sys.modules.get("torch.distributed.distributed_c10d")
    forget = getattr(distributed, "_update_default_pg", None)
    if forget is not None:
        with contextlib.suppress(Exception):
            forget(None)


def refuse(event: str, args: tuple[Any, ...]) -> None:
    """Stop whatever would be seen outside; a file that is opened to be written is one of these."""
    if not _sealed[0]:
        return
    if event == "open":
        path, _, flags = args
        if not (isinstance(flags, int) and flags & WRITING) or path == os.devnull or isinstance(path, int):
            return
    elif not event.startswith(CHANGES):
        return
    raise PermissionError(f"the program would {event} while its step is replayed")


def silenced(original: Callable[..., Any]) -> Callable[..., Any]:
    """`open`, with what is to be written going nowhere, so that a model that keeps a log can be replayed."""

    def opened(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if _sealed[0] and isinstance(mode, str) and set(mode) & set("wax+"):
            file, mode = os.devnull, mode.replace("x", "w")
        return original(file, mode, *args, **kwargs)

    return opened


def silence_torch() -> None:
    """The same for `torch.save`, which opens its files without Python's knowing."""
    native = sys.modules.get("torch._C")
    original = getattr(native, "PyTorchFileWriter", None)
    if original is None:
        return

    def written(file: Any, *args: Any, **kwargs: Any) -> Any:
        return original(os.devnull if _sealed[0] and isinstance(file, str) else file, *args, **kwargs)

    native.PyTorchFileWriter = written  # type: ignore[union-attr]


def seal(closed: bool) -> None:
    """Allow nothing to be written any more, or what the observer itself has to write."""
    import resource

    _sealed[0] = closed
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Code that is not Python's asks nobody; the kernel stops it, also where it cannot confine a process.
    resource.setrlimit(resource.RLIMIT_FSIZE, (0 if closed else most, most))


@contextlib.contextmanager
def unsealed() -> Iterator[None]:
    """For the observer's own files."""
    if not _sealed[0]:
        yield
        return
    seal(False)
    try:
        yield
    finally:
        seal(True)


def read_all(descriptor: int, seconds: float) -> str:
    """Everything the child writes until it closes its end; nothing when the time is up before that."""
    data, until = b"", time.monotonic() + seconds
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    while True:
        left = until - time.monotonic()
        if left <= 0 or not waiting.poll(1000 * left):
            return ""
        piece = os.read(descriptor, 65536)
        if not piece:
            return data.decode("utf-8", "replace")
        data += piece


def end(child: int) -> None:
    """Leave no child behind, whether it has come to its end or not."""
    with contextlib.suppress(ChildProcessError, ProcessLookupError):
        if os.waitpid(child, os.WNOHANG) == (0, 0):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def reap(child: int) -> None:
    """Wait for a child that is about to end."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)
