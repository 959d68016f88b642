"""The last line of a terminal: drawn and taken away, and never into what a program is writing."""

from __future__ import annotations

import os
import pty

import pytest

from stetho.screen import Screen


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch):
    """A terminal of 24 rows that nobody reads from, and a way to see what was written to it."""
    master, slave = pty.openpty()
    monkeypatch.setattr("stetho.screen.size", lambda descriptor: (24, 80))
    monkeypatch.setattr("stetho.screen.usable", lambda descriptor: True)
    os.set_blocking(master, False)

    def written() -> bytes:
        found = b""
        try:
            while True:
                found += os.read(master, 65536)
        except BlockingIOError:
            return found.replace(b"\r\n", b"\n")

    yield Screen(slave, colour=False), written
    os.close(master)
    os.close(slave)


def test_the_status_is_drawn_on_the_last_line_and_taken_away(terminal) -> None:
    screen, written = terminal
    screen.copy(b"epoch 1\n")
    screen.show(" stetho  step 3")
    drawn = written()
    assert drawn.startswith(b"epoch 1\n") and b"\x1b7\x1b[1;23r\x1b[24;1H" in drawn and b"step 3" in drawn
    assert drawn.endswith(b"\x1b8")
    screen.show(" stetho  step 3")
    assert written() == b""
    screen.release()
    assert written() == b"\x1b7\x1b[r\x1b[24;1H\x1b[2K\x1b8"


@pytest.mark.parametrize("part", [b"caf\xc3", b"\x1b", b"\x1b[38;5", b"\x1b]0;title", b"\xf0\x9f\x94", b"\x1b7 saved"])
def test_nothing_is_drawn_into_the_middle_of_something(terminal, part: bytes) -> None:
    screen, written = terminal
    screen.copy(part)
    screen.show("status")
    screen.say("stetho: an alarm")
    assert written() == part


def test_nothing_is_drawn_over_a_program_that_has_the_whole_screen(terminal) -> None:
    screen, written = terminal
    screen.copy(b"\x1b[?1049h")
    screen.show("status")
    assert written() == b"\x1b[?1049h"
    screen.copy(b"\x1b[?1049l")
    screen.show("status")
    assert b"status" in written()


def test_an_alarm_gets_a_line_of_its_own_as_soon_as_it_can(terminal) -> None:
    screen, written = terminal
    screen.copy(b"\r 30%|###\x1b[")
    screen.say("stetho: step 131: loss is nan")
    screen.copy(b"0m")
    screen.copy(b"\r 31%|###")
    assert written() == b"\r 30%|###\x1b[0m\nstetho: step 131: loss is nan\n\r 31%|###"
