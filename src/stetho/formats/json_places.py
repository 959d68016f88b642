"""The values of a JSON document with their lines, taken token by token, so that no depth and no damage matters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from stetho.formats.settings import Placed

TOKEN = re.compile(r'[\s,:]*(?:("[^"\\]*(?:\\.[^"\\]*)*")|([{}\[\]])|([^\s,:{}\[\]"]+))')
DEEPEST = 100


class Ended(ValueError):
    """Where the document stops being one."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def placed(text: str) -> Iterator[Placed]:
    """Every value under its keys joined by dots; a list of plain values is one value."""
    # Of each object or array that is open: its path, the next place (None in an object), a list that is still plain.
    levels: list[tuple[str, list[int] | None, list[object] | None, int]] = []
    key: str | None = None
    line, at = 1, 0
    while (found := TOKEN.match(text, at)) is not None:
        line += text.count("\n", at, found.end())
        at = found.end()
        word, bracket, plain = found.groups()
        if bracket in ("]", "}"):
            if not levels or (levels[-1][1] is None) != (bracket == "}"):
                raise Ended(line)
            path, _, items, first = levels.pop()
            if items is not None:
                yield path, items, first
        elif levels and levels[-1][1] is None and key is None and not bracket:
            key = str(_value(word, plain, line))
            continue
        else:
            path = _path(levels, key)
            if bracket:
                if len(levels) >= DEEPEST:
                    raise Ended(line)
                if levels and levels[-1][2] is not None:
                    # A list with more than plain values in it is taken apart.
                    yield from ((f"{levels[-1][0]}.{n}", item, line) for n, item in enumerate(levels[-1][2]))
                    levels[-1] = (levels[-1][0], levels[-1][1], None, levels[-1][3])
                levels.append((path, None if bracket == "{" else [0], [] if bracket == "[" else None, line))
            elif levels and levels[-1][2] is not None:
                levels[-1][2].append(_value(word, plain, line))
            else:
                yield path, _value(word, plain, line), line
        key = None
        if not levels:
            break
    if levels or text[at:].strip():
        raise Ended(line)


def _path(levels: list[tuple[str, list[int] | None, list[object] | None, int]], key: str | None) -> str:
    if not levels:
        return ""
    path, places = levels[-1][0], levels[-1][1]
    name = key or ""
    if places is not None:
        name = str(places[0])
        places[0] += 1
    return f"{path}.{name}" if path else name


def _value(word: str | None, plain: str | None, line: int) -> object:
    try:
        return json.loads(word or plain or "", strict=False)
    except (ValueError, RecursionError):
        raise Ended(line) from None
