"""An evened line cut into tokens: stamps, numbers, pairs, words and what stands between them."""

from __future__ import annotations

import re
from typing import NamedTuple

WORD = rb"[A-Za-z_\x80-\xff]"
INNER = rb"[A-Za-z0-9_\x80-\xff]"
NUMBER = rb"(?:0(?:,0)*(?:\.0?)?|\.0)(?:[eE][-+]?0)?"
UNITS = (
    rb"(?:%|(?:it|s|sec|ms|us|min|h|k|K|M|G|T|B|kB|KB|MB|GB|TB|KiB|MiB|GiB|TiB|x|samples?|tok|tokens|img|imgs|ex|steps?)"
    rb"(?:/(?:s|sec|second|it|iter|step|batch|sample|example|epoch|img|token|gpu|GPU))?"
    # What a program measures may be in any unit: `rmse=1.02km`, `mae=3.1kW/h`; only decimals are sure to be measured.
    rb"|(?<=\.0)[A-Za-z\x80-\xff]{1,4}(?:/[A-Za-z]{1,4})?)"
)
STAMPS = (
    rb"0[-/]0[-/]0[T ,]+0:0:0(?:[.,]0)?(?: ?Z| ?[+-]0(?::0)?)?",
    rb"[IWEFD]0 0:0:0\.0",
    rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)?,? ?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) 0 0:0:0(?: 0)?",
    rb"0/0 0:0:0",
    rb"0:0:0(?:[.,]0)?",
)
TOKENS = re.compile(
    rb"(?P<stamp>(?<![A-Za-z0-9_.:<])(?:" + rb"|".join(STAMPS) + rb")(?![A-Za-z0-9_:>]))"
    rb"|(?P<clock>0:0(?::0)*(?:[.,]0)?(?:ms|s)?)"
    rb"|(?P<dotted>0[-/]0[-/]0(?:[-/.]0)*|v?0(?:\.0){2,}(?:[-+.]?" + INNER + rb"+)*|0x0?" + INNER + rb"*)"
    rb"|(?P<pair>0 ?/ ?0)(?![A-Za-z0-9_./]?0)"
    rb"|(?P<nonfinite>(?:(?<![A-Za-z0-9_\x80-\xff)\]])[-+])?(?i:nan|inf|infinity))(?![A-Za-z0-9_\x80-\xff/.(-])"
    rb"|(?P<number>(?:(?<![A-Za-z0-9_\x80-\xff)\]])[-+])?" + NUMBER + rb")(?P<unit>" + UNITS + rb")?"
    rb"(?:(?=/[A-Za-z_]+=)|(?![A-Za-z0-9_\x80-\xff]|[-./]" + INNER + rb"))"
    rb"|(?P<junk>[.-]?0(?:[-./:]?" + INNER + rb"+)*)"
    rb"|(?P<word>" + WORD + INNER + rb"*(?:[-./@+'&]" + INNER + rb"+)*(?:/|\.(?= 0))?)"
    rb"|(?P<space> )"
    rb"|(?P<other>[\x00-\xff])"
)


class Token(NamedTuple):
    """One piece of a line: its kind, its text, where it lies."""

    kind: str
    text: bytes
    start: int
    end: int
    unit: bytes = b""


def tokens(line: bytes, start: int = 0, most: int = 600) -> list[Token]:
    """The first tokens of a line; a line with more of them is a dump and says nothing in its rest."""
    found: list[Token] = []
    for match in TOKENS.finditer(line, start):
        kind = match.lastgroup or "other"
        if kind == "unit":
            kind = "number"
        unit = match["unit"] or b"" if kind == "number" else b""
        end = match.end() - len(unit)
        found.append(Token(kind, line[match.start() : end], match.start(), end, unit))
        if len(found) >= most:
            break
    return found
