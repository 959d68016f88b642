"""Numbers read many at a time are those that Python reads one by one, to the last bit."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterator

import numpy as np
import pytest

from stetho.formats.decimals import MARGIN, decimals


def together(tokens: list[str]) -> tuple[list[float] | None, int]:
    """What they are, and how many had to be left to Python."""
    text = (" " * MARGIN + " ".join(tokens) + " " * 8).encode()
    sizes = np.array([len(token) for token in tokens])
    begins = MARGIN + np.append(0, np.cumsum(sizes + 1)[:-1])
    left: list[bytes] = []

    def otherwise(token: bytes) -> float | None:
        left.append(token)
        try:
            return float(token)
        except ValueError:
            return None

    found = decimals(np.frombuffer(text, np.uint8), begins, begins + sizes, otherwise)
    return None if found is None else found.tolist(), len(left)


def some(rng: random.Random) -> Iterator[str]:
    """Numbers of every kind, among them those that lie in the middle between two floats."""
    while True:
        yield repr(rng.random())
        yield repr(rng.gauss(0, 1) * 10.0 ** rng.randrange(-30, 30))
        yield repr(struct.unpack("<d", rng.randbytes(8))[0])
        yield f"{rng.randrange(10**18)}.{rng.randrange(10 ** rng.randrange(1, 9))}"
        yield f"0.{'0' * rng.randrange(12)}{rng.randrange(10 ** rng.randrange(1, 18))}"
        yield str(rng.randrange(-(10**18), 10**18))
        yield f"{rng.randrange(10**19)}e{rng.randrange(-45, 45)}"
        yield f"{rng.randrange(-99, 99)}.{rng.randrange(999):03}E+{rng.randrange(30)}"
        yield str((2**53 + rng.randrange(2**53)) * 2 + 1)
        yield f"{(2**52 + rng.randrange(2**52)) * 2 + 1}.5"


@pytest.mark.parametrize("seed", range(4))
def test_every_number_is_the_nearest_float(seed: int) -> None:
    numbers = some(random.Random(seed))
    tokens = [next(numbers) for _ in range(20_000)]
    found, _ = together(tokens)
    assert found is not None
    assert [(t, repr(f)) for t, f in zip(tokens, found, strict=True)] == [(t, repr(float(t))) for t in tokens]


def test_usual_numbers_are_rarely_left_to_python() -> None:
    rng = random.Random(0)
    tokens = [repr(rng.random() * scale) for scale in (1, 1e-4, 1e-7, 100) for _ in range(5000)]
    assert together(tokens)[1] < len(tokens) / 100


@pytest.mark.parametrize(
    "token", ["-0", "0", "-0.0", "00", "1.", ".5", "nan", "-inf", "1e400", "1e-400", "9" * 40, "+1"]
)
def test_odd_numbers_are_left_to_python_or_right(token: str) -> None:
    found, _ = together(["1.5", token, "2"])
    assert found is not None and repr(found[1]) == repr(float(token))


@pytest.mark.parametrize(
    "token", ["x", "1-2", "1.2.3", "1e", "e5", "-", "--1", "1e5e3", "1e+", ".", "1/2", "1:2", "0x1f", "1,2"]
)
def test_what_is_no_number_is_none(token: str) -> None:
    assert together(["1.5", token, "2"])[0] is None


def test_every_byte_in_every_place_of_a_number() -> None:
    """A byte that is no digit is never taken for one."""
    for place in range(12):
        for byte in range(33, 127):
            token = "1234.5678901"[:place] + chr(byte) + "1234.5678901"[place + 1 :]
            found, _ = together([token])
            try:
                expected = float(token) if "_" not in token else None
            except ValueError:
                expected = None
            if "_" not in token:
                assert found == (None if expected is None else [expected]) or math.isnan(expected or 0.0), token
