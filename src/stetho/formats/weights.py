"""Raw numbers of a tensor, looked at where they lie: finite or not, all zero, all the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from stetho.facts import WeightFlaw

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What numpy calls a kind of number, by the name of torch's storage and by that of safetensors. A bfloat16 is the upper
# half of a float32, and is looked at as such.
KINDS = {
    "FloatStorage": "<f4", "DoubleStorage": "<f8", "HalfStorage": "<f2", "BFloat16Storage": "bf16",
    "F32": "<f4", "F64": "<f8", "F16": "<f2", "BF16": "bf16",
}  # fmt: skip
SIZES = {
    "FloatStorage": 4, "DoubleStorage": 8, "HalfStorage": 2, "BFloat16Storage": 2, "LongStorage": 8, "IntStorage": 4,
    "ShortStorage": 2, "CharStorage": 1, "ByteStorage": 1, "BoolStorage": 1, "ComplexFloatStorage": 8,
    "ComplexDoubleStorage": 16, "UntypedStorage": 1,
}  # fmt: skip
WIDTH = {"<f4": 4, "<f8": 8, "<f2": 2, "bf16": 2}
# Bytes of one checkpoint whose values are looked at.
SCANNED = 1 << 30
MOST_FLAWS = 20
# A bias or a norm's shift may well be zero, a matrix may not; small ones may be by chance of design.
MATRIX = 64


@dataclass(frozen=True)
class Tensor:
    """One tensor: its name, and where its numbers lie."""

    name: str
    kind: str
    offset: int
    size: int
    dimensions: int


def bad_elements(raw: NDArray[np.uint8], kind: str) -> int | None:
    """How many elements are NaN or Inf; None for what is no floating-point number."""
    form = KINDS.get(kind)
    if form is None:
        return None
    if form == "bf16":
        # All bits of the exponent are set in NaN and Inf, and in nothing else.
        return int(np.count_nonzero((raw[: len(raw) // 2 * 2].view("<u2") & 0x7F80) == 0x7F80))
    values = raw[: len(raw) // WIDTH[form] * WIDTH[form]].view(form)
    # A sum is finite when all are, and costs a fifth of asking each; it may overflow, so only each one tells.
    with np.errstate(all="ignore"):
        if form != "<f2" and np.isfinite(values.sum(dtype=np.float64)):
            return 0
        return int(np.count_nonzero(~np.isfinite(values)))


def sameness(raw: NDArray[np.uint8], size: int) -> str:
    """`zero` or `constant` when all elements are; empty otherwise."""
    if not len(raw) or len(raw) % size:
        return ""
    rows = raw.reshape(-1, size)
    if not bool((rows[0] == rows[-1]).all()) or not bool((rows == rows[0]).all()):
        return ""
    return "zero" if not rows[0].any() else "constant"


def looked_at(path: Path, tensors: Sequence[Tensor]) -> tuple[int, tuple[WeightFlaw, ...]]:
    """How many tensors were looked at, and those that are not finite, or matrices without any difference in them."""
    flaws, scanned, budget = [], 0, SCANNED
    seen: set[int] = set()
    with path.open("rb") as handle:
        for one in tensors:
            if one.kind not in KINDS or one.offset in seen or one.size > budget or not one.size:
                continue
            seen.add(one.offset)
            handle.seek(one.offset)
            raw = np.frombuffer(handle.read(one.size), dtype=np.uint8)
            budget, scanned = budget - one.size, scanned + 1
            size = WIDTH[KINDS[one.kind]]
            bad, elements = bad_elements(raw, one.kind), len(raw) // size
            if bad:
                flaws.append(WeightFlaw(one.name, "nonfinite", elements, bad))
            elif elements >= MATRIX and one.dimensions > 1 and (what := sameness(raw, size)):
                flaws.append(WeightFlaw(one.name, what, elements))
    flaws.sort(key=lambda flaw: flaw.what != "nonfinite")
    return scanned, tuple(flaws[:MOST_FLAWS])
