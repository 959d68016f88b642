"""The part of YAML that configurations are written in: maps, lists and plain values. Tags and anchors mean nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from stetho.formats.settings import Placed

DEEPEST = 40
LONGEST = 20_000
MOST_LINES = 200
# In the middle of a word it is an apostrophe.
BEFORE_QUOTE = " \t\n:=[{(,-"
NO_KEY = set("#?:,[]{}&*!|>%@`")
QUOTED = re.compile(r"""^("[^"\\]*(?:\\.[^"\\]*)*"|'[^']*(?:''[^']*)*')""")
DECORATION = re.compile(r"^(?:[!&][^\s\[\]{},]*\s*)+")
BLOCK_TEXT = re.compile(r"^[|>][+-]?[0-9]?$")
WORDS = {
    "null": None, "~": None, "": None, "true": True, "yes": True, "on": True, "false": False, "no": False, "off": False,
}  # fmt: skip
WHOLE = re.compile(r"^[+-]?[0-9]{1,30}$")
REAL = re.compile(r"^[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)(?:[eE][+-]?[0-9]+)?$")


class NotPlain(ValueError):
    """A line that this part of YAML does not have."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


@dataclass
class _Level:
    """A map or a list that is being filled."""

    indent: int
    path: str
    is_list: bool
    items: int = 0


@dataclass
class Document:
    """The values of a document, gathered line by line."""

    found: list[tuple[str, object, int]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    """The keys as they are written, without those that they stand under."""
    continued: int = 0
    """Lines that only go on with the value before them."""
    _levels: list[_Level] = field(default_factory=list)
    _open: tuple[str, int, int] | None = None
    """A key whose value may stand on the lines below it: its path, its indent, its line."""
    _text: int | None = None
    """The indent of the key whose text, over several lines, is being passed over."""
    _flow: tuple[str, str, int] | None = None
    """A list or map in brackets that goes on: its path, what there is of it, its line."""

    def add(self, line: int, raw: str) -> None:
        """The next line."""
        indent = len(raw) - len(raw.lstrip(" "))
        if self._text is not None:
            if not raw.strip() or indent > self._text:
                return
            self._text = None
        content = _uncommented(raw[indent:])
        if self._flow is not None:
            self._go_on(content, line)
            return
        if not content or content in ("---", "...") or content.startswith("%"):
            return
        if content.startswith("\t") or indent > 400 or len(content) > LONGEST:
            raise NotPlain(line)
        self._line(indent, content.removeprefix("--- ") if indent == 0 else content, line)

    def _line(self, indent: int, content: str, line: int) -> None:
        while content == "-" or content.startswith("- "):
            self._item(indent, line)
            rest = content[1:].lstrip()
            indent += len(content) - len(rest)
            content = rest
            if not content:
                return
        member = _member_of(content)
        if member is None:
            self._plain(indent, content, line)
            return
        level = self._level(indent, False, line)
        key, rest = member
        self.keys.append(key)
        self._value(f"{level.path}.{key}" if level.path else key, indent, rest, line)

    def _item(self, indent: int, line: int) -> None:
        level = self._level(indent, True, line)
        self._open = f"{level.path}.{level.items}" if level.path else str(level.items), indent, line
        level.items += 1

    def _level(self, indent: int, is_list: bool, line: int) -> _Level:
        """The map or list that a line of this indent belongs to."""
        levels, opened = self._levels, self._open
        self._open = None
        under = opened is not None and (indent > opened[1] or (is_list and indent == opened[1]))
        if opened is not None and not under:
            self.found.append((opened[0], None, opened[2]))
        while levels and (levels[-1].indent > indent or (levels[-1].indent == indent and levels[-1].is_list > is_list)):
            levels.pop()
        if levels and levels[-1].indent == indent and levels[-1].is_list == is_list and not under:
            return levels[-1]
        if len(levels) >= DEEPEST or (levels and not under):
            raise NotPlain(line)
        levels.append(_Level(indent, opened[0] if opened is not None else "", is_list))
        return levels[-1]

    def _plain(self, indent: int, content: str, line: int) -> None:
        """A value that stands alone: an item of a list, the rest of the value before it, or all there is."""
        if content[0] in "[{" and not self._levels and not self.found:
            self._value("", indent, content, line)
        elif self._open is not None and indent > self._open[1]:
            path, _, first = self._open
            self._open = None
            self._value(path, indent, content, first)
        elif self.found and self._levels and indent > self._levels[-1].indent:
            path, before, first = self.found[-1]
            self.found[-1] = path, f"{before} {content}"[:1000], first
            self.continued += 1
        else:
            raise NotPlain(line)

    def _value(self, path: str, indent: int, text: str, line: int) -> None:
        text = DECORATION.sub("", text)
        if not text:
            self._open = path, indent, line
        elif BLOCK_TEXT.match(text):
            self.found.append((path, "(text)", line))
            self._text = indent
        elif text[0] in "[{":
            self._flow = path, "", line
            self._go_on(text, line)
        else:
            self.found.append((path, scalar(text), line))

    def _go_on(self, content: str, line: int) -> None:
        """A list or map in brackets, once it is whole."""
        assert self._flow is not None
        path, before, first = self._flow
        text = f"{before} {content}".strip()
        if len(text) > LONGEST or line - first > MOST_LINES:
            raise NotPlain(line)
        if _closed(text):
            self._flow = None
            self.found.extend(_flow(path, text, first))
        else:
            self._flow = path, text, first

    def close(self) -> None:
        """The end: a key that is still open has no value."""
        if self._flow is not None:
            raise NotPlain(self._flow[2])
        if self._open is not None:
            self.found.append((self._open[0], None, self._open[2]))
            self._open = None


def _uncommented(text: str) -> str:
    """A line without its comment; a # within quotes is none."""
    if "#" not in text:
        return text.rstrip()
    quote = ""
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and (place == 0 or text[place - 1] in BEFORE_QUOTE):
            quote = character
        elif character == "#" and (place == 0 or text[place - 1] in " \t"):
            return text[:place].rstrip()
    return text.rstrip()


def _member_of(content: str) -> tuple[str, str] | None:
    """The key that a line begins with, and what comes after its colon."""
    quoted = QUOTED.match(content)
    if quoted is not None:
        rest = content[quoted.end() :].lstrip()
        return (str(_quoted(quoted[1])), rest[1:].strip()) if rest == ":" or rest.startswith(": ") else None
    place = content.find(": ")
    place = len(content) - 1 if place < 0 and content.endswith(":") else place
    if place <= 0 or content[0] in NO_KEY:
        return None
    return content[:place].rstrip(), content[place + 1 :].strip()


def _quoted(text: str) -> object:
    if text[:1] == '"' and QUOTED.match(text) and len(text) > 1:
        try:
            return json.loads(text, strict=False)
        except (ValueError, RecursionError):
            return text[1:-1]
    return text[1:-1].replace("''", "'") if text[:1] == "'" and len(text) > 1 and text[-1] == "'" else text


def scalar(text: str) -> object:
    """A plain value as YAML takes it, except that a number like 1e-4 is one."""
    text = text.strip()
    if text[:1] in ("'", '"'):
        return _quoted(text)
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    if WHOLE.match(text):
        return int(text)
    return float(text) if REAL.match(text) and len(text) < 60 else text


def _closed(text: str) -> bool:
    """Whether every bracket has been closed."""
    depth, quote = 0, ""
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and text[place - 1] in BEFORE_QUOTE:
            quote = character
        elif character in "[{":
            depth += 1
        elif character in "]}":
            depth -= 1
            if depth == 0:
                return True
    return False


def _flow(path: str, text: str, line: int) -> Iterator[tuple[str, object, int]]:
    """What stands in brackets: a list of plain values is one value, all else is taken apart, to a depth."""
    work = [(path, text.strip(), 0)]
    while work:
        here, held, depth = work.pop()
        inner = held[1:-1].strip() if len(held) > 1 and held[-1] in "]}" else held[1:].strip()
        parts = [part.strip() for _, part in pieces(inner) if part.strip()]
        if depth > 10 or (held[0] == "[" and not any(part[0] in "[{" for part in parts)):
            yield here, [scalar(part) for part in parts], line
        elif not parts:
            yield here, {}, line
        else:
            members = []
            for place, part in enumerate(parts):
                name, value = (str(place), part) if held[0] == "[" else _member(part)
                members.append((f"{here}.{name}" if here else name, value, depth + 1))
            for name, value, deep in reversed([one for one in members if one[1][:1] in ("[", "{")]):
                work.append((name, value, deep))
            for name, value, _ in members:
                if value[:1] not in ("[", "{"):
                    yield name, scalar(value), line


def _member(part: str) -> tuple[str, str]:
    name, _, value = part.partition(":")
    return str(_quoted(name.strip())), value.strip()


def pieces(text: str) -> list[tuple[int, str]]:
    """Parts between commas that stand in no brackets and no quotes, and where each begins."""
    parts: list[tuple[int, str]] = []
    depth, quote, begin = 0, "", 0
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote and text[place - 1] != "\\" else quote
        elif character in "\"'" and (place == 0 or text[place - 1] in BEFORE_QUOTE):
            quote = character
        elif character in "[{(":
            depth += 1
        elif character in "]})":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append((begin, text[begin:place]))
            begin = place + 1
    return [*parts, (begin, text[begin:])]


def read(text: str) -> Document:
    """A document, all of whose lines are plain."""
    document = Document()
    for line, raw in enumerate(text.split("\n"), 1):
        document.add(line, raw.rstrip("\r"))
    document.close()
    return document


def placed(document: Document) -> Iterator[Placed]:
    """The values by their keys. Overrides of Hydra, which are a list of assignments, are what they assign."""
    overrides = bool(document.found) and all(
        path.isdigit() and isinstance(value, str) and "=" in value for path, value, _ in document.found
    )
    if not overrides:
        yield from _gathered(document.found)
        return
    for _, value, line in document.found:
        name, _, assigned = str(value).partition("=")
        yield name.strip("+~ "), scalar(assigned), line


def _gathered(found: list[tuple[str, object, int]]) -> Iterator[Placed]:
    """The values, with a list of plain ones, which stand one below the other, as a single value."""
    at = 0
    while at < len(found):
        path, value, line = found[at]
        parent, _, name = path.rpartition(".")
        after = at + 1
        if parent and name == "0":
            while after < len(found) and found[after][0] == f"{parent}.{after - at}":
                after += 1
            items = [held for _, held, _ in found[at:after]]
            nested = after < len(found) and found[after][0].startswith(f"{parent}.")
            if not nested and not any(isinstance(item, (list, dict)) for item in items):
                yield parent, items, line
                at = after
                continue
        yield path, value, line
        at += 1
