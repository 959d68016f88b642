"""The last line of a terminal, kept for a status while a program writes above it as it would without."""

from __future__ import annotations

import contextlib
import os
import re
import select

# Bytes at the end of the output that are only the beginning of something: a terminal sequence or a character.
UNFINISHED = re.compile(
    rb"(?:\x1b(?:\[[0-?]*[ -/]*|[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?)"
    rb"|[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z"
)
# Editors and pagers take the whole screen by this, and give it back.
WHOLE_SCREEN = re.compile(rb"\x1b\[\?(?:47|1047|1049)([hl])")
SEQUENCE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")
REMEMBERED = 256
SMALLEST = (4, 20)


class Screen:
    """A terminal that a program's output is copied to. Its scrolling region ends above the status line.

    Each drawing saves the cursor and puts it back, so that progress bars, which stop in the middle of a line, go
    on where they were.
    """

    def __init__(self, descriptor: int, *, colour: bool = True) -> None:
        self.descriptor = descriptor
        self.colour = colour
        self.rows, self.columns = size(descriptor)
        self.claimed = False
        self.away = False
        self.tail = b""
        self.shown = ""
        self.waiting: list[str] = []

    @property
    def inner(self) -> tuple[int, int]:
        """The size that is left for the program."""
        return (self.rows - 1, self.columns)

    def copy(self, data: bytes) -> None:
        """Hand the program's bytes on, unchanged; before them, what could not be said in the middle of something."""
        self._say_waiting()
        self._pass(data)

    def _pass(self, data: bytes) -> None:
        self._write(data)
        self.tail = (self.tail + data)[-max(REMEMBERED, len(data)) :]
        for switch in WHOLE_SCREEN.finditer(self.tail):
            self.away = switch[1] == b"h"
        self.tail = self.tail[-REMEMBERED:]

    @property
    def at_rest(self) -> bool:
        """Whether something can be drawn now without cutting into what the program is writing."""
        return not UNFINISHED.search(self.tail) and self.tail.rfind(b"\x1b7") <= self.tail.rfind(b"\x1b8")

    def show(self, line: str, *, alarmed: bool = False) -> None:
        """Draw the status line, unless somebody else has the terminal now."""
        if self.away or not self.at_rest or not usable(self.descriptor):
            return
        if not self.claimed:
            self._claim()
        elif line == self.shown:
            return
        self.shown = line
        style = ("\x1b[1;37;41m" if alarmed else "\x1b[7m") if self.colour else ""
        text = line[: self.columns - 1].ljust(self.columns - 1)
        self._escape(f"\x1b[1;{self.rows - 1}r\x1b[{self.rows};1H\x1b[0m\x1b[2K{style}{text}\x1b[0m")

    def say(self, line: str) -> None:
        """Print a line of its own among the program's; a bar that was being drawn begins anew below."""
        self.waiting.append(line)
        self._say_waiting()

    def _say_waiting(self) -> None:
        while self.waiting and self.at_rest:
            clean = SEQUENCE.sub(b"", self.tail)
            begin = "" if not clean or clean.endswith(b"\n") else "\n"
            self._pass(f"{begin}{self.waiting.pop(0)}\n".encode("utf-8", "replace"))

    def resize(self) -> bool:
        """Take over a new size; whether it is one."""
        before = (self.rows, self.columns)
        self.rows, self.columns = size(self.descriptor)
        if before == (self.rows, self.columns):
            return False
        if self.claimed:
            self._escape("\x1b[r")
            self._claim()
        return True

    def release(self) -> None:
        """Give the last line back; the cursor stays where the program left it."""
        self._say_waiting()
        if self.claimed:
            self.claimed = False
            self._escape(f"\x1b[r\x1b[{self.rows};1H\x1b[2K")

    def _claim(self) -> None:
        # Down and up again: had the cursor been on the last line, the text above has moved up by one.
        self._write(b"\x1bD\x1b[A")
        self._escape(f"\x1b[1;{self.rows - 1}r")
        self.claimed, self.shown = True, ""

    def _escape(self, text: str) -> None:
        self._write(f"\x1b7{text}\x1b8".encode("utf-8", "replace"))

    def _write(self, data: bytes) -> None:
        """Everything, also where the terminal is shared with a program that made it non-blocking."""
        with contextlib.suppress(OSError):
            while data:
                try:
                    data = data[os.write(self.descriptor, data) :]
                except BlockingIOError:
                    select.select([], [self.descriptor], [], 1.0)


def size(descriptor: int) -> tuple[int, int]:
    """Rows and columns; zeros when nobody knows."""
    try:
        found = os.get_terminal_size(descriptor)
    except OSError:
        return (0, 0)
    return (found.lines, found.columns)


def usable(descriptor: int) -> bool:
    """Whether a status line can be kept there: it moves its cursor, is large enough, and is not the shell's now."""
    rows, columns = size(descriptor)
    if rows < SMALLEST[0] or columns < SMALLEST[1] or os.environ.get("TERM", "dumb") == "dumb":
        return False
    try:
        return os.tcgetpgrp(descriptor) == os.getpgrp()
    except OSError:
        return False
