"""`stetho run` on a terminal: the program has one, too, and the last line shows how it goes."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
from pathlib import Path

import pytest

from conftest import environment
from running import CAREFUL, STETHO, end, evidence, loop, recorded, wait_for


class Terminal:
    """A terminal with stetho in it."""

    def __init__(self, *arguments: str, cwd: Path, columns: int) -> None:
        self.seen = b""
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            self.descriptor = 0
            self.resize(20, columns)
            os.chdir(cwd)
            os.execvpe(sys.executable, [*STETHO, *arguments], {**environment(), "TERM": "xterm", "LANG": "C.UTF-8"})

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, until: bytes | None = None) -> bytes:
        """Everything up to the end, or up to some text."""
        while until is None or until not in self.seen:
            ready, _, _ = select.select([self.descriptor], [], [], 120)
            assert ready, self.seen
            try:
                data = os.read(self.descriptor, 65536)
            except OSError:
                break
            if not data:
                break
            self.seen += data
        return self.seen

    def end(self) -> int:
        self.read()
        return self.wait()

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
        self.descriptor = -1

    def wait(self) -> int:
        ended: list[int] = []

        def is_over() -> bool:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            ended.extend([status] if pid else [])
            return bool(pid)

        wait_for(is_over)
        self.pid = 0
        return os.waitstatus_to_exitcode(ended[0])


@pytest.fixture
def open_terminal(tmp_path: Path):
    """Start stetho in a terminal of 20 rows."""
    opened: list[Terminal] = []

    def opener(*arguments: str, columns: int = 70) -> Terminal:
        opened.append(Terminal(*arguments, cwd=tmp_path, columns=columns))
        return opened[-1]

    yield opener
    for terminal in opened:
        terminal.close()
        if terminal.pid:
            end(terminal.pid)
            terminal.wait()


def text(seen: bytes) -> str:
    """What the program wrote: without the drawing of the status line."""
    drawn = re.sub(rb"\x1bD\x1b\[A|\x1b7.*?\x1b8", b"", seen, flags=re.DOTALL)
    return drawn.decode().replace("\r\n", "\n")


ON_A_TERMINAL = """
import os, sys
print([os.isatty(i) for i in range(3)], tuple(os.get_terminal_size(1)), os.getpgrp() == os.tcgetpgrp(0), flush=True)
for i in range(30):
    sys.stderr.write(f"\\r{i}% \\u2588\\x1b[1m#\\x1b[0m"); sys.stderr.flush()
print()
answer = input("how many? ")
print("answered", answer, flush=True)
sys.exit(4)
"""


def test_on_a_terminal_the_program_has_one_and_a_status_line_below(write, open_terminal) -> None:
    write("asks.py", ON_A_TERMINAL)
    terminal = open_terminal("run", "--", sys.executable, "asks.py")
    terminal.read(b"how many? ")
    terminal.read(b"no torch yet")
    os.write(terminal.descriptor, b"5\n")
    code = terminal.end()
    shown = text(terminal.seen)
    assert code == 4
    assert shown.startswith("[True, True, True] (70, 19) True\n")
    assert "".join(f"\r{i}% \u2588\x1b[1m#\x1b[0m" for i in range(30)) in shown
    assert "answered 5\nstetho: " in shown
    assert b"\x1b[1;19r\x1b[20;1H" in terminal.seen
    # The scrolling region is the whole screen again, and nothing is drawn after that.
    assert b"\x1b7" not in terminal.seen.rpartition(b"\x1b7\x1b[r\x1b[20;1H\x1b[2K\x1b8")[2]


def test_a_terminal_that_is_closed_ends_the_program(write, open_terminal, tmp_path: Path) -> None:
    write("train.py", loop(None))
    terminal = open_terminal("run", "--", sys.executable, "train.py")
    wait_for(lambda: recorded(tmp_path))
    terminal.close()
    assert terminal.wait() == 128 + signal.SIGHUP
    assert evidence(tmp_path, "run-end")[0]["data"]["signal"] == "SIGHUP"


def test_quiet_on_a_terminal_is_the_plain_program(open_terminal) -> None:
    terminal = open_terminal("run", "-q", "--", "sh", "-c", "echo $(stty size); exit 6")
    assert terminal.end() == 6 and terminal.seen == b"20 70\r\n"


def test_ctrl_c_interrupts_the_program_once(write, open_terminal, tmp_path: Path) -> None:
    write("careful.py", CAREFUL.format(name="INT"))
    terminal = open_terminal("run", "--", sys.executable, "careful.py")
    terminal.read(b"ready")
    os.write(terminal.descriptor, b"\x03")
    assert terminal.end() == 9
    assert "got 1\n" in text(terminal.seen)
    assert evidence(tmp_path, "run-end")[0]["data"]["stopped_by"] == "interrupt"


RESIZED = """
import os, signal
sizes = []
signal.signal(signal.SIGWINCH, lambda number, frame: sizes.append(os.get_terminal_size(1)))
print("ready", flush=True)
while os.terminal_size((50, 9)) not in sizes:
    signal.sigtimedwait([signal.SIGUSR2], 0.05)
print("resized", flush=True)
"""


def test_a_new_size_of_the_terminal_is_passed_on(write, open_terminal) -> None:
    write("sized.py", RESIZED)
    terminal = open_terminal("run", "--", sys.executable, "sized.py")
    terminal.read(b"ready")
    terminal.read(b"no torch yet")
    terminal.resize(10, 50)
    assert terminal.end() == 0 and "resized" in text(terminal.seen)
    assert b"\x1b[1;9r\x1b[10;1H" in terminal.seen


def test_the_status_follows_the_run(write, open_terminal) -> None:
    write("train.py", loop(None))
    terminal = open_terminal("run", "--", sys.executable, "train.py", columns=120)
    terminal.read(b"steps/s")
    os.write(terminal.descriptor, b"\x03")
    assert terminal.end() == 130
    lines = [m.decode() for m in re.findall(rb"stetho  step [^\x1b]*", terminal.seen)]
    assert any(re.match(r"stetho  step \d+  loss \S+ [▁-█]+  grad \S+  \S+ steps/s", one) for one in lines), lines
