"""Between a terminal and a command: signals that are passed on, and a second terminal whose output is copied."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator

from stetho.screen import Screen

FORWARDED = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP", "SIGCONT", "SIGUSR1", "SIGUSR2", "SIGWINCH")
)
LARGEST = 65536


class Signals:
    """Signals to this process, held back and handed out one by one; the command gets a mask as if we were not here."""

    def __init__(self) -> None:
        self.wanted = {s for s in FORWARDED if signal.getsignal(s) != signal.SIG_IGN} | {signal.SIGCHLD}
        self.before: set[int] = set()
        self.interrupted = float("-inf")
        """When somebody last pressed Ctrl-C."""

    def __enter__(self) -> Signals:
        self.before = set(signal.pthread_sigmask(signal.SIG_BLOCK, self.wanted))
        return self

    def __exit__(self, *error: object) -> None:
        list(self.wait(0.0))
        self.restore()

    def restore(self) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self.before)

    def wait(self, seconds: float) -> Iterator[tuple[int, bool]]:
        """Signals as they come, for at most so long; True for one that the terminal sent to the command as well."""
        found = self._next(seconds)
        while found is not None:
            number, everyone = found
            if number == signal.SIGINT:
                self.interrupted = time.monotonic()
            if number != signal.SIGCHLD:
                yield number, everyone
            found = self._next(0.0)

    def suspend(self) -> None:
        """Stop, as Ctrl-Z asks for, until somebody lets us go on."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTSTP})
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTSTP})

    def _next(self, seconds: float) -> tuple[int, bool] | None:
        if hasattr(signal, "sigtimedwait"):
            info = signal.sigtimedwait(self.wanted, seconds)
            # What the kernel sends for a terminal, it sends to the whole process group; a hang-up to its leader first.
            return None if info is None else (info.si_signo, info.si_code > 0 and info.si_signo != signal.SIGHUP)
        pending = signal.sigpending() & self.wanted
        if not pending:
            time.sleep(min(seconds, 0.05))
            return None
        number = signal.sigwait(pending)
        return number, number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP) and sys.stderr.isatty()


class Relay:
    """A terminal of the command's own for its output, copied byte by byte to the real one above the status line.

    Its input, its signals and its place among the shell's jobs stay those of the real terminal.
    """

    def __init__(self, screen: Screen, keep: Callable[[bytes], None] = lambda data: None) -> None:
        import pty
        import termios
        import tty

        self.screen = screen
        self.keep = keep
        self.master, self.slave = pty.openpty()
        # Line ends are the real terminal's business; what arrives here is what the program wrote.
        mode = termios.tcgetattr(screen.descriptor)
        mode[tty.OFLAG] &= ~termios.OPOST
        mode[tty.LFLAG] &= ~termios.ECHO
        termios.tcsetattr(self.slave, termios.TCSANOW, mode)
        self._tell_size()

    def stream(self, number: int) -> int | None:
        """What the command gets for a standard stream: the relay where ours is this very terminal, else ours."""
        try:
            same = os.path.sameopenfile(number, self.screen.descriptor)
        except OSError:
            same = False
        return self.slave if same else None

    def started(self) -> None:
        os.close(self.slave)

    def copy(self, seconds: float) -> bool:
        """Copy what there is, waiting at most so long for it; whether there was something."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.master, LARGEST)
        except OSError:
            data = b""  # all who held the other end have closed it
        if not data:
            time.sleep(seconds)
            return False
        self.keep(data)
        self.screen.copy(data)
        return True

    def finish(self) -> None:
        """The last output; what processes left behind write after that has nowhere to go."""
        while self.copy(0.0):
            continue
        with contextlib.suppress(OSError):
            os.close(self.master)

    def resize(self) -> bool:
        """Pass a new size of the real terminal on; whether there was one."""
        changed = self.screen.resize()
        if changed:
            self._tell_size()
        return changed

    def _tell_size(self) -> None:
        import fcntl
        import termios

        with contextlib.suppress(OSError):
            fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", *self.screen.inner, 0, 0))
