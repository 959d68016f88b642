"""Memory as runs log it: units by name or size, the machine's and the device's apart, totals left out."""

from __future__ import annotations

import numpy as np
import pytest

from stetho.facts import Memory
from stetho.logged.assembly import facts_of
from stetho.series import Series


def memory_of(**given: object) -> Memory | None:
    named = [Series(name, np.asarray(v, dtype=np.float64), "t.log", np.arange(20)) for name, v in given.items()]
    facts = [one.fact for one in facts_of([("text-log", one) for one in named])]
    return next((fact for fact in facts if isinstance(fact, Memory)), None)


@pytest.mark.parametrize(
    ("name", "value", "unit"),
    [
        ("rss_mb", 900.0, 2**20),
        ("memory_gib", 12.0, 2**30),
        ("mem", 3511.0, 2**20),
        ("rss", 5e9, 1),
        ("ram", 41.3, 2**30),
    ],
)
def test_a_unit_is_told_by_its_name_or_by_its_size(name: str, value: float, unit: int) -> None:
    found = memory_of(**{name: [value] * 20})
    assert found is not None and found.resident[0] == int(value * unit)


def test_the_device_is_apart_and_a_total_is_not_in_use() -> None:
    grows = 1000 + 10.0 * np.arange(20)
    found = memory_of(**{"gpu0/memory.used": grows, "gpu0/memory.total": [81559.0] * 20, "rss_gb": [4.0] * 20})
    assert found is not None
    assert found.device[-1] == int(grows[-1] * 2**20) and set(found.resident) == {4 * 2**30}
    alone = memory_of(**{"cuda_mem_allocated_mb": grows})
    assert alone is not None and alone.resident == () and len(alone.device) == 20


def test_a_share_is_no_amount() -> None:
    assert memory_of(memory_percent=[40.0] * 20) is None
