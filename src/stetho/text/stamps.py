"""When a line was written: a stamp as seconds since 1970, or since midnight where it has no date."""

from __future__ import annotations

import re
from calendar import timegm
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stetho.series import Floats, Whole

MONTHS = {name: n for n, name in enumerate(b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}
# The usual layouts, by what remains when digits are evened out: where year, month, day, hour, minute, second stand.
_USUAL = re.compile(
    rb"(?:([0-9]{4})[-/]([0-9]{2})[-/]([0-9]{2})[T ])?([0-9]{2}):([0-9]{2}):([0-9]{2})"
    rb"(?:[.,]([0-9]{1,9}))?(?= ?[Z+-]|$)"
)
_PIECES = re.compile(rb"[0-9]+|[A-Z][a-z][a-z]|[.,](?=[0-9])")
DAY = 86400.0
_COUNTED = re.compile(rb"[0-9]{10,13}(?:\.[0-9]*)?")
EARLIEST, LATEST = 1e9, 4e9


def seconds(stamp: bytes) -> float | None:
    """The time that a stamp says; None when its numbers are no time. Zones are left out: a log keeps to one."""
    if _COUNTED.fullmatch(stamp):
        return counted(float(stamp))
    pieces = _PIECES.findall(stamp)
    fraction = 0.0
    for at in range(len(pieces) - 1, 0, -1):
        if pieces[at - 1] in (b".", b",") and at >= 3:
            fraction = float(b"0." + pieces[at][:9])
            pieces = pieces[: at - 1]
            break
    month = next((MONTHS[piece] for piece in pieces if piece in MONTHS), None)
    numbers = [int(piece[:9]) for piece in pieces if piece.isdigit()]
    if month is not None:
        if len(numbers) < 4:
            return None
        year = numbers[4] if len(numbers) > 4 else 1970
        return _time(year, month, numbers[0], numbers[1:4], fraction)
    if stamp[:1] in b"IWEFD" and len(numbers) >= 4:
        return _time(1970, numbers[0] // 100, numbers[0] % 100, numbers[1:4], fraction)
    if len(numbers) == 3:
        return _time(1970, 1, 1, numbers, fraction)
    if len(numbers) == 5:
        return _time(1970, numbers[0], numbers[1], numbers[2:5], fraction)
    if len(numbers) >= 6:
        a, b, c = numbers[:3]
        if c > 31 >= a:
            a, b, c = (c, a, b) if a <= 12 else (c, b, a)
        return _time(a if a > 99 else 2000 + a, b, c, numbers[3:6], fraction)
    return None


def counted(number: float) -> float | None:
    """Seconds, or thousandths of them, since 1970; None for a number that is another."""
    if EARLIEST <= number < LATEST:
        return number
    return number / 1000 if EARLIEST * 1000 <= number < LATEST * 1000 else None


def seconds_of(stamps: bytes, count: int, width: int) -> Floats | None:
    """Many stamps of one width, each with the byte behind it; None when they are not all of one usual layout."""
    import numpy as np

    usual = _USUAL.match(stamps[:width])
    if usual is None or len(stamps) != count * (width + 1):
        return None
    table = np.frombuffer(stamps, np.uint8).reshape(count, width + 1)
    behind, table = table[:, width], table[:, :width]
    if ((behind >= 48) & (behind <= 57)).any():
        return None
    first = table[0]
    is_digit = (first >= 48) & (first <= 57)
    digits = table[:, is_digit]
    if not ((table[:, ~is_digit] == first[~is_digit]).all() and (digits >= 48).all() and (digits <= 57).all()):
        return None

    def number(group: int) -> Floats:
        made = np.zeros(count)
        for at in range(*usual.span(group)):
            made = made * 10 + (table[:, at] - 48.0)
        return made

    hour, minute, second = number(4), number(5), number(6)
    if (hour > 23).any() or (minute > 59).any() or (second > 59).any():
        return None
    time = hour * 3600 + minute * 60 + second
    if usual[1] is not None:
        year, month, day = number(1), number(2), number(3)
        # Days that not every month has are left to the careful way.
        if ((month < 1) | (month > 12) | (day < 1) | (day > 28) | (year < 1970) | (year > 2200)).any():
            return None
        months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
        days = months.astype("datetime64[D]").astype(np.float64) + day - 1
        time = time + days * DAY
    if usual[7] is not None:
        time = time + number(7) / 10.0 ** len(usual[7])
    return time


def stamps_at(raw: bytes, begins: Whole, ends: Whole) -> Floats | None:
    """Stamps that stand at these places; None when they are not all of one usual layout and width."""
    import numpy as np

    width = int(ends[0] - begins[0])
    if (ends - begins != width).any():
        return None
    data = np.frombuffer(raw, np.uint8)
    last = min(width, len(data) - 1 - int(begins.max()))
    if last < width:
        return None
    return seconds_of(data[begins[:, None] + np.arange(width + 1)].tobytes(), len(begins), width)


def _time(year: int, month: int, day: int, clock: list[int], fraction: float) -> float | None:
    hour, minute, second = clock
    if not (
        1 <= month <= 12 and 1 <= day <= 31 and hour <= 24 and minute < 60 and second <= 60 and 1970 <= year <= 2200
    ):
        return None
    return timegm((year, month, day, hour, minute, second)) + fraction
