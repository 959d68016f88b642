"""Tables of a log: a line of names, and below it lines of as many numbers, as fastai, spaCy and many others print them.

What a row is, is told by its evened text; what its columns are called, by the last line of names above it, as written.
"""

from __future__ import annotations

import re

from stetho.text import words
from stetho.text.even import even, plain
from stetho.text.grammar import Metric, Plan, Span, halves, metric_of
from stetho.text.lexer import NUMBER, STAMPS, UNITS, Token

Cells = tuple[Token, ...]
Names = tuple[bytes, ...]

LONGEST, MOST_COLUMNS = 600, 64
_STAMP = b"(?:" + b"|".join(STAMPS) + b")"
_LEVEL = rb"(?:INFO|DEBUG|WARNING|WARN|ERROR|info|debug)"
# What a logger puts before its lines.
_BEFORE = rb" ?(?:\[?" + _STAMP + rb"\]?[ ,:|-]*)?(?:\[?" + _LEVEL + rb" ?\]?[ :|-]*)?"
_PREFIX = re.compile(_BEFORE)
_WRITTEN_PREFIX = re.compile(_BEFORE.replace(b"0", b"[0-9]+"))
# A bar that is drawn behind a row, or behind the names.
_BAR = re.compile(rb":? ?0%\|.*$")
_WRITTEN_BAR = re.compile(rb":?[ \t]*[0-9]+%\|.*$")
_BARS = re.compile(r"\||│|┃".encode())
_CELL = re.compile(
    rb"(?P<pair>0/0)|(?P<clock>-?0:0(?::0)*(?:\.0)?)|(?P<nonfinite>[-+]?(?i:nan|inf|infinity))"
    rb"|(?P<number>[-+]?" + NUMBER + rb")(?P<unit>" + UNITS + rb")?"
    rb"|(?P<blank>-+|\xe2\x80\x94|None|N/A|n/a|\*|\+|No log|)|(?P<word>[A-Za-z_][A-Za-z_-]*)"
)
_LONE_NUMBER = re.compile(rb"(?<![A-Za-z0-9_@.()+-])[-+.]?0")
_NAME = re.compile(rb"[A-Za-z_#\x80-\xff][^\t]{0,59}")
_EPOCHS = words.EPOCHS | {b"e", b"epochs"}
_STEPS = words.STEPS | {b"#", b"steps"}
_NEVER = re.compile(rb"(?i)\b(?:eta|remaining|time|elapsed|date|dur)\b")


def cells(line: bytes) -> Cells | None:
    """The cells of an evened line that is nothing but them; None for all other lines."""
    begin = _begin(_PREFIX, line)
    end = _end(_BAR, line, begin)
    if not begin < end <= LONGEST or b"0" not in line[begin:end]:
        return None
    found = [_cell(line, span) for span in _cut(line, begin, end)]
    read = [one for one in found if one is not None]
    if not 2 <= len(found) == len(read) <= MOST_COLUMNS:
        return None
    numbers = sum(one.kind in ("number", "nonfinite", "pair") for one in read)
    if numbers < 2 or 2 * numbers < len(read) or any(one.kind == "word" for one in read[1:-1]):
        return None
    return tuple(read)


def _cut(line: bytes, begin: int, end: int) -> list[Span]:
    """Where the cells lie: between bars, commas or spaces."""
    text = line[begin:end]
    if _BARS.search(text):
        bars = [(begin + bar.start(), begin + bar.end()) for bar in _BARS.finditer(text)]
        edges = zip([begin, *(after for _, after in bars)], [*(before for before, _ in bars), end], strict=True)
        spans = [_stripped(line, span) for span in edges]
        return spans[spans[0][0] == spans[0][1] : len(spans) - (spans[-1][0] == spans[-1][1])]
    separator = rb"[^,]+" if b"," in text and b" " not in text.strip() else rb"No log|[^ ]+"
    return [(begin + found.start(), begin + found.end()) for found in re.finditer(separator, text)]


def _stripped(line: bytes, span: Span) -> Span:
    begin, end = span
    while begin < end and line[begin : begin + 1] == b" ":
        begin += 1
    while begin < end and line[end - 1 : end] == b" ":
        end -= 1
    return begin, end


def _cell(line: bytes, span: Span) -> Token | None:
    found = _CELL.fullmatch(line, *span)
    if found is None:
        return None
    kind = "number" if found.lastgroup == "unit" else found.lastgroup or "blank"
    unit = found["unit"] or b""
    return Token(kind, line[span[0] : span[1] - len(unit)], span[0], span[1] - len(unit), unit)


def may_head(line: bytes) -> bool:
    """Whether an evened line may be one of names: a measure among them, and no number that stands for itself."""
    if len(line) > LONGEST or (b" " not in line.strip() and b"," not in line and b"|" not in line):
        return False
    begin = _begin(_PREFIX, line)
    text = line[begin : _end(_BAR, line, begin)]
    if not text or _LONE_NUMBER.search(text) or b"=" in text or b": " in text:
        return False
    return any(words.is_measure(word) for word in re.split(rb"[ ,|]+", text))


def names(header: bytes) -> dict[int, Names]:
    """What the columns below a line of names are called, by how many there may be; empty when it is no such line."""
    text = plain(header)[: 4 * LONGEST]
    begin = _begin(_WRITTEN_PREFIX, text)
    text = text[begin : _end(_WRITTEN_BAR, text, begin)].strip(b" \t\r")
    known: dict[int, Names] = {}
    if _BARS.search(text):
        parts = [part.strip() for part in _BARS.split(text)]
        ways = [parts[not parts[0] : len(parts) - (not parts[-1])]]
    elif b"," in text and b" " not in text:
        ways = [text.split(b",")]
    else:
        ways = [[part.strip() for part in re.split(gap, text)] for gap in (rb"\t+", rb"[ \t]{2,}")]
        single = text.split()
        if len(known_words(single)) * 2 > len(single):
            ways.append(single)
    for way in ways:
        if 2 <= len(way) <= MOST_COLUMNS and all(_NAME.fullmatch(name) for name in way) and _tells(way):
            known.setdefault(len(way), tuple(map(_closed, way)))
    return known


def _closed(name: bytes) -> bytes:
    """Without a bracket that was opened in another name."""
    return name.rstrip(b")") if b"(" not in name else name


def known_words(way: list[bytes]) -> list[bytes]:
    """Names that are of counters or measures."""
    return [name for name in way if name.lower() in _EPOCHS | _STEPS or words.is_measure(even(name))]


def _tells(way: list[bytes]) -> bool:
    return any(words.is_measure(even(name)) for name in way) and len(known_words(way)) >= 2


def fits(row: Cells, called: Names) -> bool:
    """Whether a row can stand below these names: there is a number wherever one is counted."""
    return len(row) == len(called) and not any(
        token.kind in ("word", "clock") and name.lower() in _EPOCHS | _STEPS
        for token, name in zip(row, called, strict=True)
    )


def plan(row: Cells, called: Names) -> Plan:
    """How a row is read below these names."""
    step = total = epoch = epochs = None
    metrics: dict[bytes, Metric] = {}
    whose = next((one.text + b"/" for one in row[:1] if one.kind == "word"), b"")
    for token, name in zip(row, called, strict=True):
        lower, span = name.lower(), (token.start, token.end)
        first, second = halves(token)
        if token.kind not in ("number", "nonfinite", "pair"):
            continue
        if lower in _EPOCHS and epoch is None:
            epoch, epochs = first, second
        elif lower in _STEPS and step is None and b"." not in token.text:
            step, total = first, second
        elif token.kind != "pair" and not words.is_count(even(name)) and not _NEVER.search(name):
            metrics.setdefault(name, metric_of(whose + name, token, span))
    return Plan(tuple(metrics.values()), step, total, epoch, epochs)


def _begin(prefix: re.Pattern[bytes], line: bytes) -> int:
    found = prefix.match(line)
    return found.end() if found is not None else 0


def _end(bar: re.Pattern[bytes], line: bytes, begin: int) -> int:
    found = bar.search(line, begin)
    return found.start() if found is not None else len(line)
