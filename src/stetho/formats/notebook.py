"""What the cells of a Jupyter notebook printed and raised, as the text of a log, line by line where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from stetho.formats.json_text import Document

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# How IPython names a frame, new and old, in files and in cells; where no line follows, an arrow points at it.
FRAME = re.compile(
    r"^(?:File )?(?P<file>Cell In ?\[\d+\]|Input In \[\d+\]|<ipython-input-[^>\s]+>|[~/\w.][^\s:]*\.py)"
    r"(?:, line (?P<cell>\d+)|:(?P<line>\d+))?(?:,? in (?P<name>[\w.<>: ]+).*)?$"
)
ARROW = re.compile(r"^-+> ?(?P<line>\d+) ?(?P<code>.*)$")
MOST_LINES = 5000


@dataclass
class Raised:
    """An exception, as a notebook keeps it."""

    line: int
    name: str = ""
    message: str = ""
    shown: list[str] = field(default_factory=list)


def printed(document: Document) -> Iterator[tuple[int, str]]:
    """All output with the line that it stands on; a document that is cut off raises after what came before."""
    for key in document.members():
        if key == "cells":
            for _ in elements(document):
                yield from of_cell(document)
        else:
            document.value()


def elements(document: Document) -> Iterator[None]:
    """Each item of an array, to be taken by whoever asks before asking for more."""
    document.expect("[")
    if document.peek() == "]":
        document.at += 1
        return
    while True:
        yield
        if document.expect(",]") == "]":
            return


def of_cell(document: Document) -> Iterator[tuple[int, str]]:
    for key in document.members():
        if key == "outputs":
            for _ in elements(document):
                yield from of_output(document)
        else:
            document.value()


def of_output(document: Document) -> Iterator[tuple[int, str]]:
    """A stream as it is, a result as plain text, and an exception as Python would have told it."""
    error = None
    for key in document.members():
        begun = document.line(document.at)
        if key == "text":
            yield from strings(document)
        elif key == "data" and document.peek() == "{":
            for form in document.members():
                if form == "text/plain":
                    yield from strings(document, ended=True)
                else:
                    document.value()
        elif key in ("ename", "evalue", "traceback"):
            error = error or Raised(begun)
            said = [text for _, text in strings(document)]
            if key == "ename":
                error.name = "".join(said)
            elif key == "evalue":
                error.message = "".join(said)
            else:
                error.shown = said
        else:
            document.value()
    if error is not None:
        yield error.line, traceback(error)


def strings(document: Document, *, ended: bool = False) -> Iterator[tuple[int, str]]:
    """A text that is one string or a list of them, each with its line."""
    if document.peek() != "[":
        at, found = document.at, document.value()
        if isinstance(found, str):
            yield document.line(at), found + "\n" * ended
        return
    for at, item in document.items():
        if isinstance(item, str):
            yield document.line(at), item
    if ended:
        yield document.line(document.at), "\n"


def traceback(error: Raised) -> str:
    """An exception in Python's own words, with the frames that the notebook shows."""
    lines = ["\nTraceback (most recent call last):"]
    pending: re.Match[str] | None = None
    for line in COLOUR.sub("", "\n".join(error.shown)).split("\n")[:MOST_LINES]:
        frame, arrow = FRAME.match(line.rstrip()), ARROW.match(line)
        if frame is not None:
            pending = frame
        elif arrow is not None and pending is not None:
            number = pending["cell"] or pending["line"] or arrow["line"]
            file, name = pending["file"].replace('"', ""), pending["name"] or "<module>"
            lines += [f'  File "{file}", line {number}, in {name.strip()}', f"    {arrow['code'].strip()}"]
            pending = None
    message = "\n  ".join(COLOUR.sub("", error.message).split("\n"))
    return "\n".join([*lines, f"{error.name or 'Exception'}: {message}".rstrip(": "), ""])


def text_of(found: Iterator[tuple[int, str]]) -> Iterator[str]:
    """Output as one text, each piece on its line of the notebook as far as there is room."""
    at, fresh = 1, True
    for line, piece in found:
        if fresh and at < line:
            yield "\n" * (line - at)
            at = line
        yield piece
        at += piece.count("\n")
        fresh = piece.endswith("\n") if piece else fresh
