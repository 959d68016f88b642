"""What is read of many at once is what is read of each."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from stetho.text.even import ANSI, uncoloured
from stetho.text.numerals import number, numbers

CODES = [b"\x1b[31m", b"\x1b[0m", b"a m", b"\x1b[1;32m", b"\n", b"loss 0.5", b"mm", b"\x1b[38;2;1;2;3m"]
ODD = [b"\x1b", b"\x1b[", b"\x1b[2K", b"\x1b]0;title\x07", b"[", b"\x1b[[m", b"\x1b[ m", b"\x1b[?25h", b"\x1b(B"]


@pytest.mark.parametrize("seed", range(5))
def test_numbers_with_commas(seed: int) -> None:
    chance = random.Random(seed)
    texts = [f"{chance.randint(-(10**9), 10**9):,}".encode() for _ in range(500)]
    texts += [f"{chance.uniform(-1e6, 1e6):,.3f}".encode() for _ in range(500)]
    while len(texts) < 2000:
        text = "".join(chance.choices("0123456789,,.-+", k=chance.randint(1, 10)))
        texts += [text.encode()] if re.fullmatch(r"[-+]?\d+(,\d+)*(\.\d*)?", text) else []
    ends = np.cumsum([len(text) + 1 for text in texts]) - 1
    starts = ends - np.array([len(text) for text in texts])
    made = numbers(b" ".join(texts), starts, ends, exponents=False, commas=True)
    assert list(map(repr, made.tolist())) == [repr(number(text)) for text in texts]


@pytest.mark.parametrize("seed", range(60))
def test_colours_are_taken_out_at_once(seed: int) -> None:
    chance = random.Random(seed)
    blob = b"".join(chance.choices(CODES + chance.sample(ODD, chance.choice([0, 0, 1, 9])), k=chance.randint(1, 900)))
    assert uncoloured(blob) == ANSI.sub(b"", blob)
