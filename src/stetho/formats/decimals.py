"""Many decimal numbers at once, each the float that is nearest to it, as Python reads them one by one.

The digits of a number are one whole number, eight of them read at a time, and a power of ten. Their product is taken
to 64 bits of the power of ten, which is enough to round it in all but a few cases of a thousand (Lemire, "Number
parsing at a gigabyte per second", 2021). Those few, and what is not written plainly, are left to whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Places = NDArray[np.int64]
    Words = NDArray[np.uint64]
    Floats = NDArray[np.float64]

# How many zeros must stand before the first number, so that eight bytes can be taken up to any place.
MARGIN = 24
# Numbers taken at a time, so that what is computed stays in the cache.
PART = 16384
MOST_DIGITS = 19
# After 0. there may be more, as long as they begin with zeros.
MOST_AFTER_ZERO = 24
MOST_ABOVE = 1000
LARGEST_POWER = 40
# Up to these, whole numbers and powers of ten are floats without an error.
EXACT, LARGEST_EXACT_POWER = 2**53, 22
MINUS, PLUS, POINT, ZERO, POWER = (ord(character) for character in "-+.0e")
U = np.uint64
ZEROS, CARRY, HIGH = U(0x3030303030303030), U(0x0606060606060606), U(0xF0F0F0F0F0F0F0F0)
PAIRS, FIRST, SECOND = U(0x000000FF000000FF), U(0x000F424000000064), U(0x0000271000000001)
LOW32 = U(0xFFFFFFFF)


@cache
def _kept() -> Words:
    """Which bytes of eight are kept, by how many of the last of them count."""
    return np.array([((1 << 8 * count) - 1) << 8 * (8 - count) for count in range(9)], U)


@cache
def _powers() -> tuple[Words, Places]:
    """64 bits of each power of ten, cut off, and the power of two that they are to be taken times."""
    bits, twos = [], []
    for power in range(-LARGEST_POWER, LARGEST_POWER + 1):
        if power >= 0:
            shift = (10**power).bit_length() - 64
            bits.append(10**power >> shift if shift >= 0 else 10**power << -shift)
        else:
            shift = -((10**-power).bit_length() + 63)
            if (1 << -shift) // 10**-power >= 1 << 64:
                shift += 1
            bits.append((1 << -shift) // 10**-power)
        twos.append(shift)
    return np.array(bits, U), np.array(twos, np.int64)


@cache
def _twos() -> Floats:
    return np.ldexp(1.0, np.arange(-600, 601))


@cache
def _keep_memory() -> None:
    """Let the allocator keep what is freed: handing it back and asking again takes longer than the arithmetic.

    The GNU allocator keeps twice as much as the largest piece that it has handed back, which this one is.
    """
    np.empty(16 << 20, np.uint8)


def _eight(words: Words, ends: Places, count: Places, plain: NDArray[np.bool_]) -> Words:
    """The whole number that the last digits before a place are; `plain` is cleared where they are not all digits."""
    held = words[ends - 8] ^ ZEROS
    held &= _kept()[count]
    plain &= ((held + CARRY | held) & HIGH) == 0
    held = held * U(10) + (held >> U(8))
    found: Words = ((held & PAIRS) * FIRST + (held >> U(16) & PAIRS) * SECOND) >> U(32)
    return found


def _digits(words: Words, ends: Places, count: Places, plain: NDArray[np.bool_]) -> Words:
    """The whole number of up to 24 digits, of which the first must be zeros when there are more than 19."""
    found = _eight(words, ends, np.minimum(count, 8), plain)
    for taken, scale in ((8, U(10**8)), (16, U(10**16))):
        longer = count > taken
        if longer.all():
            found += _more(words, ends, count, plain, taken) * scale
        elif longer.any():
            rows = np.flatnonzero(longer)
            good = plain[rows]
            found[rows] += _more(words, ends[rows], count[rows], good, taken) * scale
            plain[rows] = good
        else:
            break
    return found


def _more(words: Words, ends: Places, count: Places, plain: NDArray[np.bool_], taken: int) -> Words:
    """The digits before those that were taken."""
    found = _eight(words, ends - taken, np.minimum(count - taken, 8), plain)
    if taken == 16:
        plain &= found < MOST_ABOVE
    return found


def _nearest(digits: Words, power: Places) -> tuple[Floats, NDArray[np.bool_]]:
    """Digits times a power of ten as the nearest float, and whether that is certain."""
    bits, twos = _powers()
    place = power + LARGEST_POWER
    # A float has the exponent of its highest bit, or that of the next one when it was rounded up.
    length = (digits.astype(np.float64).view(np.int64) >> 52) - 1022
    lead = 64 - np.where(digits == 0, 64, length)
    lead = np.where(lead < 0, 0, lead)
    shifted = digits << lead.view(U)
    short = (shifted >> U(63)) == 0
    shifted <<= short.astype(U)
    lead += short
    ten = bits[place]
    a, b, c, d = shifted >> U(32), shifted & LOW32, ten >> U(32), ten & LOW32
    ad, bc = a * d, b * c
    middle = (b * d >> U(32)) + (ad & LOW32) + (bc & LOW32)
    high = a * c + (ad >> U(32)) + (bc >> U(32)) + (middle >> U(32))
    drop = U(10) + (high >> U(63))
    half = U(1) << drop - U(1)
    rest = high & (half << U(1)) - U(1)
    mantissa = (high >> drop) + (rest > half)
    value = mantissa.astype(np.float64) * _twos()[twos[place] + 64 - lead + drop.view(np.int64) + 600]
    certain = (rest != half) & (rest != half - U(1))
    return np.where(digits == 0, 0.0, value), certain | (digits == 0)


def _points(data: Bytes, first: Places, ends: Places) -> Places:
    """Where the point of each number is; -1 where it has none."""
    point = np.full(len(first), -1, np.int64)
    looked = np.arange(len(first))
    for digit in range(1, MOST_DIGITS):
        at = first[looked] + digit
        inside = at < ends[looked]
        looked, at = looked[inside], at[inside]
        here = data[at] == POINT
        point[looked[here]] = at[here]
        looked = looked[~here]
        if not len(looked):
            break
    return point


def _whole(data: Bytes, words: Words, first: Places, ends: Places) -> Words | None:
    """Whole numbers without a sign; None when not all of them are."""
    count = ends - first
    plain = (count > 0) & (count <= MOST_DIGITS) & ((data[first] != ZERO) | (count == 1))
    if not plain.all():
        return None
    digits = _digits(words, ends, count, plain)
    return digits if plain.all() else None


def _plain(
    data: Bytes, words: Words, begins: Places, ends: Places, powers: Places | None
) -> tuple[Floats, NDArray[np.bool_]]:
    """Numbers of the form -12.34, times powers of ten, and which of them are of that form and certain."""
    negative = data[begins] == MINUS
    signs = bool(negative.any())
    first = begins + negative if signs else begins
    second = data[first + 1] == POINT
    if powers is None and not signs and not second.any():
        found = _whole(data, words, first, ends)
        if found is not None:
            return found.astype(np.float64), np.ones(len(found), np.bool_)
    # Most numbers have their point after the first digit.
    digits, fraction, plain = (_one_before if second.all() else _several_before)(data, words, first, ends, negative)
    power = -fraction if powers is None else powers - fraction
    values, certain = _times(digits, power)
    plain &= certain
    return (np.where(negative, -values, values) if signs else values), plain


def _one_before(
    data: Bytes, words: Words, first: Places, ends: Places, negative: NDArray[np.bool_]
) -> tuple[Words, Places, NDArray[np.bool_]]:
    """The digits of numbers with one digit before their point, how many stand behind it, and where that is so."""
    lead = data[first] - np.uint8(ZERO)
    fraction = ends - first - 2
    plain = (lead <= 9) & (fraction > 0) & (fraction <= np.where(lead == 0, MOST_AFTER_ZERO, MOST_DIGITS - 1))
    if not plain.all():
        fraction = np.where(plain, fraction, 0)
    digits = _digits(words, ends, fraction, plain)
    digits += lead * _tens()[np.minimum(fraction, MOST_DIGITS)]
    return digits, fraction, plain


def _several_before(
    data: Bytes, words: Words, first: Places, ends: Places, negative: NDArray[np.bool_]
) -> tuple[Words, Places, NDArray[np.bool_]]:
    """The same for numbers with their point anywhere, or with none."""
    point = _points(data, first, ends)
    pointed = point >= 0
    stop = np.where(pointed, point, ends)
    whole, fraction = stop - first, np.where(pointed, ends - stop - 1, 0)
    tiny = (whole == 1) & (data[first] == ZERO) & (fraction <= MOST_AFTER_ZERO)
    plain = (whole > 0) & ((whole + fraction <= MOST_DIGITS) | tiny) & ~(pointed & (fraction == 0))
    # What begins with a zero and goes on, and a minus zero, are not everywhere the same.
    plain &= (data[first] != ZERO) | ((whole == 1) & (pointed | ~negative))
    if not plain.all():
        whole, fraction = np.where(plain, whole, 1), np.where(plain, fraction, 0)
    digits = _digits(words, stop, whole, plain)
    digits = digits * _tens()[np.minimum(fraction, MOST_DIGITS)] + _digits(words, ends, fraction, plain)
    return digits, fraction, plain


def _times(digits: Words, power: Places) -> tuple[Floats, NDArray[np.bool_]]:
    """Digits times powers of ten as the nearest floats, and which of these are certain."""
    if int(digits.max()) <= EXACT and int(power.max()) <= 0 and int(power.min()) >= -LARGEST_EXACT_POWER:
        # Both are floats without an error, and so is their quotient but for its rounding.
        return digits.astype(np.float64) / _exact()[-power], np.ones(len(digits), np.bool_)
    near = np.abs(power) <= LARGEST_POWER
    values, certain = _nearest(digits, power if near.all() else np.where(near, power, 0))
    values = np.where(power == 0, digits.astype(np.float64), values)
    return values, near & (certain | (power == 0))


def _part(data: Bytes, words: Words, begins: Places, ends: Places) -> tuple[Floats, NDArray[np.bool_]]:
    """Numbers with a power of ten at their end or without, and which of them are certain."""
    values, plain = _plain(data, words, begins, ends, None)
    rows = np.flatnonzero(~plain)
    mark = np.full(len(rows), -1, np.int64)
    for back in (2, 3, 4, 5):
        at = ends[rows] - back
        mark = np.where((at > begins[rows]) & (data[at] | 32 == POWER), at, mark)
    rows, mark = rows[mark >= 0], mark[mark >= 0]
    if len(rows):
        signed = np.isin(data[mark + 1], (MINUS, PLUS))
        count = ends[rows] - mark - 1 - signed
        good = count > 0
        power = _eight(words, ends[rows], np.maximum(count, 0), good).astype(np.int64)
        power = np.where(data[mark + 1] == MINUS, -power, power)
        values[rows], certain = _plain(data, words, begins[rows], mark, power)
        plain[rows] = good & certain
    return values, plain


@cache
def _exact() -> Floats:
    return np.array([float(10**power) for power in range(LARGEST_EXACT_POWER + 1)])


@cache
def _tens() -> Words:
    return np.array([10**power for power in range(MOST_DIGITS + 1)], U)


def decimals(data: Bytes, begins: Places, ends: Places, otherwise: Callable[[bytes], float | None]) -> Floats | None:
    """The numbers between these places, which are none before `MARGIN`; None when one of them is none.

    `otherwise` reads what is written in another way than -12.34, or is None for what is no number.
    """
    _keep_memory()
    words: Words = np.ndarray((len(data) - 7,), "<u8", data, 0, (1,))
    out = np.empty(len(begins), np.float64)
    for place in range(0, len(begins), PART):
        own = slice(place, place + PART)
        values, plain = _part(data, words, begins[own], ends[own])
        for row in np.flatnonzero(~plain).tolist():
            found = otherwise(data[begins[place + row] : ends[place + row]].tobytes())
            if found is None:
                return None
            values[row] = found
        out[own] = values
    return out
