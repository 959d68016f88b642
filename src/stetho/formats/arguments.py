"""Arguments as Python prints them, `Namespace(lr=0.1, …)`, taken apart and never evaluated but as literals."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from stetho.formats.plain_yaml import pieces
from stetho.formats.settings import Placed, flat

PRINTED = re.compile(r"(?:argparse\.)?(?:Namespace|[A-Z]\w{0,80}(?:Args|Arguments|Config|Options|Params))\(")
NAME = re.compile(r"^\s*([A-Za-z_]\w{0,200})\s*=\s*", re.ASCII)
LARGEST = 256 * 1024
LONGEST = 2000


def literal(text: str) -> object:
    """A value when it is a literal, and otherwise its text."""
    if len(text) > LONGEST:
        return text
    try:
        with warnings.catch_warnings():
            # Python would warn about what it finds odd in somebody else's text.
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return text


def placed(text: str, line: int = 1) -> Iterator[Placed]:
    """The arguments of the first printed call in a text; of one that was cut off, those that are whole."""
    found = PRINTED.search(text[:LARGEST])
    if found is None:
        return
    line += text.count("\n", 0, found.end())
    inside, closed = _inside(text, found.end())
    parts = pieces(inside)
    counted = 0
    for begin, part in parts if closed else parts[:-1]:
        begin += len(part) - len(part.lstrip())
        line += inside.count("\n", counted, begin)
        counted = begin
        assigned = NAME.match(part)
        if assigned is not None:
            yield from flat(assigned[1], literal(part[assigned.end() :].strip()), line)


def _inside(text: str, begin: int) -> tuple[str, bool]:
    """What stands between the brackets, and whether they are closed."""
    depth, quote = 1, ""
    for place in range(begin, min(len(text), begin + LARGEST)):
        character = text[place]
        if quote:
            quote = "" if character == quote and text[place - 1] != "\\" else quote
        elif character in "\"'":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth == 0:
                return text[begin:place], True
    return text[begin : begin + LARGEST], False
