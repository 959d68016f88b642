"""One JSON document taken apart member by member and item by item, so that what was cut off costs only its end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stetho.reader import Flaw

if TYPE_CHECKING:
    from stetho.artifact import Artifact
    from stetho.evidence import Json

# As a whole it would take many times its size.
LARGEST = 64 << 20
BLANK = re.compile(r"[ \t\n\r]*")
DECODER = json.JSONDecoder()


class Broken(ValueError):
    """Where the document stops being JSON."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


class Document:
    """The text of a document and a place in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._line, self._counted = 1, 0

    def line(self, offset: int) -> int:
        """The line of a place; places must be asked for in their order."""
        self._line += self.text.count("\n", self._counted, offset)
        self._counted = max(offset, self._counted)
        return self._line

    def peek(self) -> str:
        """The next character that is no blank."""
        found = BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.text[self.at : self.at + 1]

    def expect(self, characters: str) -> str:
        found = self.peek()
        if not found or found not in characters:
            raise Broken(self.at)
        self.at += 1
        return found

    def value(self) -> Json:
        """The value that begins here."""
        self.peek()
        try:
            found, self.at = DECODER.raw_decode(self.text, self.at)
        except (ValueError, RecursionError):
            raise Broken(self.at) from None
        value: Json = found
        return value

    def members(self) -> Iterator[str]:
        """The keys of an object. Whoever asks must take the value, by `value` or `items`, before asking for more."""
        self.expect("{")
        if self.peek() == "}":
            self.at += 1
            return
        while True:
            key = self.value()
            if not isinstance(key, str):
                raise Broken(self.at)
            self.expect(":")
            yield key
            if self.expect(",}") == "}":
                return

    def items(self) -> Iterator[tuple[int, Json]]:
        """The items of an array, and where each begins."""
        self.expect("[")
        if self.peek() == "]":
            self.at += 1
            return
        while True:
            self.peek()
            begin = self.at
            yield begin, self.value()
            if self.expect(",]") == "]":
                return


def document(artifact: Artifact) -> Document:
    """The document of an artifact, at most as much of it as can be held."""
    return Document(artifact.part(0, LARGEST).decode("utf-8", "replace"))


def flaw(artifact: Artifact, document: Document, broken: Broken) -> Flaw:
    """What stopped the reading of a document."""
    line = document.line(broken.offset)
    if artifact.size > LARGEST:
        return Flaw(f"only the first {LARGEST >> 20} MiB are read, and of these what comes before this line", line=line)
    at_end = not document.text[broken.offset :].strip() or document.text.count("\n", broken.offset) < 3
    what = "cut off, or damaged near its end" if at_end else "damaged: what comes after this line is not JSON"
    return Flaw(what, line=line)
