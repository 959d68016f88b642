from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from stetho.check import Finding, check
from stetho.facts import Memory

MIB = 2**20
EVERY = list(range(0, 400, 10))


@check(
    reads=Memory,
    root="memory",
    severity=25,
    fires={
        "a leak": {"steps": EVERY, "resident": [(900 + 40 * i) * MIB for i in range(40)], "highest": 2460 * MIB},
        "a leak on the device": {
            "steps": EVERY, "resident": [900 * MIB] * 40, "highest": 900 * MIB,
            "device": [(2000 + 100 * i) * MIB for i in range(40)],
        },
    },
    quiet={
        "steady": {"steps": EVERY, "resident": [900 * MIB] * 40, "highest": 900 * MIB},
        "fills up and stays": {
            "steps": EVERY, "resident": [min(900 + 200 * i, 3000) * MIB for i in range(40)], "highest": 3000 * MIB,
        },
        "up and down": {"steps": EVERY, "resident": [900 * MIB, 1800 * MIB] * 20, "highest": 1800 * MIB},
        "a few megabytes": {
            "steps": EVERY, "resident": [(300 + i) * MIB for i in range(40)], "highest": 340 * MIB,
        },
        "too short to tell": {"steps": [0, 10], "resident": [1 * MIB, 900 * MIB], "highest": 900 * MIB},
    },
)  # fmt: skip
def memory_growing(memory: Memory, *, least: int = 12, most: int = 256 * MIB) -> Iterator[Finding]:
    """Memory climbs steadily to the very end of the run.

    ## Why it matters
    It ends when the machine has no more to give, however long that takes.

    ## False alarms
    Caches and allocators fill up and then stop: the growth must go on through each quarter of the second half.
    """
    for held, what in ((memory.resident, "memory"), (memory.device, "device memory")):
        half = held[len(held) // 2 :]
        if len(held) < least:
            continue
        size = max(1, len(half) // 4)
        levels = [median(half[i * size : (i + 1) * size]) for i in range(len(half) // size)]
        climbs = all(b - a > 0.02 * levels[0] for a, b in pairwise(levels[:4]))
        if climbs and half[-1] - half[0] > max(most, 0.15 * half[0]):
            words = f"{what} climbs from {held[0] / MIB:.0f} to {held[-1] / MIB:.0f} MiB, to the end of the run"
            yield Finding(words, step=memory.steps[-1] if memory.steps else None)
            return
