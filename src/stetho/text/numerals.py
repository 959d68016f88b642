"""Numbers in bytes: one as Python reads it, and many at once with the same result to the last bit.

A mantissa below 2^53 and a power of ten up to 10^22 are exact, so one division or multiplication rounds as the careful
way does; whatever is longer goes the careful way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stetho.series import Floats, Whole

NAN = float("nan")
THOUSANDS = re.compile(rb"[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?")
_LONGEST, _EXACT, _POWERS = 18, 2**53, 22
# For fewer numbers than this, to read them one by one is faster.
_FEW = 400
_TENS = tuple(10.0**power for power in range(_POWERS + 1))
_MINUS, _PLUS, _POINT, _COMMA, _ZERO, _E = b"-+.,0e"


def number(text: bytes) -> float:
    """A number as written; NaN for one that only looked like it, such as 0,5."""
    try:
        if b"," in text:
            return float(text.replace(b",", b"")) if THOUSANDS.fullmatch(text) else NAN
        return float(text)
    except ValueError:
        return NAN


def pieces(blob: bytes, table: bytes) -> tuple[Whole, Whole]:
    """Where the runs of bytes begin and end that a table marks with 1."""
    import numpy as np

    marked = np.frombuffer(b"\x00" + blob.translate(table) + b"\x00", np.int8)
    edges = np.flatnonzero(marked[1:] != marked[:-1])
    return edges[::2], edges[1::2]


def numbers(blob: bytes, starts: Whole, ends: Whole, *, exponents: bool, commas: bool = False) -> Floats:
    """The numbers that stand at these places; each is known to look like one."""
    import numpy as np

    raw = np.frombuffer(blob, np.uint8)
    lengths = ends - starts
    longest = int(lengths.max(initial=0))
    if len(starts) < _FEW or (longest > _LONGEST and commas):
        return _carefully(blob, starts, ends)
    if longest > _LONGEST:
        return _of_many_digits(blob, starts, ends)
    mantissa, power = np.zeros(len(starts), np.int64), np.zeros(len(starts), np.int64)
    exponent = np.zeros(len(starts), np.int64)
    point, behind, lowered, odd, grouped = np.zeros((5, len(starts)), np.bool_)
    last = len(raw) - 1
    # Digits since a comma, or since the beginning.
    since = np.zeros(len(starts), np.int64) if commas else None
    for at in range(longest):
        byte = np.where(lengths > at, raw[np.minimum(starts + at, last)], 0)
        digit = byte - np.uint8(48)
        inside = digit < 10
        if exponents:
            exponent = np.where(inside & behind, exponent * 10 + digit, exponent)
            lowered |= behind & (byte == _MINUS)
            behind |= byte | 32 == _E
            inside &= ~behind
        mantissa = np.where(inside, mantissa * 10 + digit, mantissa)
        power -= inside & point
        points = byte == _POINT
        if since is not None:
            comma = byte == _COMMA
            odd |= comma & (point | np.where(grouped, since != 3, (since == 0) | (since > 3)))
            odd |= points & grouped & (since != 3)
            grouped |= comma
            since = np.where(comma, 0, since + (inside & ~point))
        point |= points
    if since is not None:
        signed = (raw[starts] == _MINUS) | (raw[starts] == _PLUS)
        odd |= grouped & ((~point & (since != 3)) | (raw[np.minimum(starts + signed, last)] == _ZERO))
    power += np.where(lowered, -exponent, exponent)
    odd |= (mantissa >= _EXACT) | (np.abs(power) > _POWERS)
    tens = np.array(_TENS)[np.minimum(np.abs(power), _POWERS)]
    made: Floats = np.where(power < 0, mantissa / tens, mantissa * tens)
    np.negative(made, out=made, where=raw[starts] == _MINUS)
    if odd.any():
        made[odd] = _carefully(blob, starts[odd], ends[odd])
    return made


def eights(blob: bytes) -> Whole:
    """The eight bytes from each place on as one number."""
    import numpy as np

    return np.ndarray((len(blob) + 1,), ">i8", blob + bytes(8), strides=(1,))


def order(eight: Whole, starts: Whole, ends: Whole) -> Whole | None:
    """Whole numbers in the order of the values at these places; None unless all have digits, a point, and as many more.

    Eight bytes are taken at once and moved to the right; what is left of the point then counts as it should.
    """
    import numpy as np

    lengths = ends - starts
    if int(lengths.max(initial=0)) > 8:
        return None
    words: Whole = eight[starts].astype(np.int64)
    words >>= (8 - lengths) * 8
    behind = int(words[0]).to_bytes(8, "big")[::-1].find(b".")
    return words if behind >= 0 and bool(((words >> (8 * behind)) & 255 == _POINT).all()) else None


def _of_many_digits(blob: bytes, starts: Whole, ends: Whole) -> Floats:
    import numpy as np

    from stetho.formats.decimals import MARGIN, decimals

    padded = np.frombuffer(b"".join((bytes(MARGIN), blob, bytes(8))), np.uint8)
    read = decimals(padded, starts + MARGIN, ends + MARGIN, number)
    return _carefully(blob, starts, ends) if read is None else read


def _carefully(blob: bytes, starts: Whole, ends: Whole) -> Floats:
    import numpy as np

    texts = [blob[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    try:
        return np.array(list(map(float, texts)))
    except ValueError:
        # A comma is among them.
        return np.array([number(text) for text in texts])


def same(blob: bytes, starts: Whole, ends: Whole) -> bool:
    """Whether the same bytes stand at all these places."""
    import numpy as np

    lengths = ends - starts
    if not len(starts) or (lengths != lengths[0]).any():
        return not len(starts)
    raw = np.frombuffer(blob, np.uint8)
    return all(bool((raw[starts + at] == raw[starts[0] + at]).all()) for at in range(int(lengths[0])))


def marking(kept: bytes) -> bytes:
    """A table that marks these bytes with 1 and all others with 0."""
    return bytes(1 if byte in kept else 0 for byte in range(256))
