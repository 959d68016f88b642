"""How much memory a twin may take: it is a guest, and where memory runs out some systems end the whole job."""

from __future__ import annotations

import os

# Where groups of processes have their limits, of version 2 and of version 1.
GROUPS = (
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)


def take_half(sharing: int) -> None:
    """Let this process grow by half of what is to spare, divided by those that may do the same at this moment."""
    import resource

    used, spare = size(), to_spare()
    if used is None or spare is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = used + spare // (2 * max(1, sharing))
    bounds = [b for b in (soft, hard) if b != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([wanted, *bounds]), hard))


def exceeded(error: BaseException) -> bool:
    """Whether there was no memory left."""
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "allocate memory" in str(error))


def size(root: str = "/") -> int | None:
    """Bytes of addresses that this process has."""
    words = read(root, "proc/self/statm").split()
    return int(words[0]) * os.sysconf("SC_PAGE_SIZE") if words else None


def to_spare(root: str = "/") -> int | None:
    """Bytes that the machine, and every group that this process belongs to, can still give."""
    found = [b for b in (machine(root), *groups(root)) if b is not None]
    return max(0, min(found)) if found else None


def machine(root: str) -> int | None:
    """Bytes that the machine has to spare."""
    available = fields(read(root, "proc/meminfo")).get("MemAvailable")
    return None if available is None else 1024 * available


def groups(root: str) -> list[int]:
    """Bytes that each group of processes around this one has to spare, from the innermost outwards."""
    found = []
    for line in read(root, "proc/self/cgroup").splitlines():
        _, kinds, path = line.split(":", 2)
        if kinds and "memory" not in kinds.split(","):
            continue
        top = "sys/fs/cgroup/memory" if kinds else "sys/fs/cgroup"
        names = GROUPS[bool(kinds)]
        parts = [p for p in path.split("/") if p]
        for depth in range(len(parts), -1, -1):
            folder = "/".join([top, *parts[:depth]])
            most, used = (read(root, f"{folder}/{name}").strip() for name in names[:2])
            if most.isdigit() and used.isdigit():
                # Files that were read some time ago are given up for the asking.
                cached = fields(read(root, f"{folder}/memory.stat")).get(names[2], 0)
                found.append(int(most) - int(used) + cached)
    return found


def fields(text: str) -> dict[str, int]:
    """Names and whole numbers, one pair in a line."""
    lines = [line.replace(":", " ").split() for line in text.splitlines()]
    return {line[0]: int(line[1]) for line in lines if len(line) > 1 and line[1].isdigit()}


def read(root: str, path: str) -> str:
    """A file of the kernel's, or nothing where there is no such file."""
    try:
        with open(os.path.join(root, path), encoding="utf-8") as given:
            return given.read()
    except OSError:
        return ""
