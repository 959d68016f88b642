"""Old segments of a long recording lose every second step, in a process of their own, so that the run never waits."""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from typing import Any, Iterator

from .. import twin
from .steps import Block

# What is said once, or tells of a single event, stays; unless a program makes it so often that it fills the recording.
STAYING = (
    "attached", "run", "model", "optimizer", "parameters", "coverage", "planned", "loader", "scheduler", "loaded",
    "seeded", "mode", "input", "raw", "pairs", "rows", "skipped", "scaler", "origin", "unlocalised", "fault", "end",
    "applied", "full", "influence", "dropping", "ring", "change", "streams", "sources", "clearing", "clip", "eval",
    "evaluation", "noise", "units", "unseeded", "workers", "own-gradient",
)  # fmt: skip
OFTEN = 200
# Of these the last one says it all.
TOTALS = ("modes",)


def begin(paths: list[str], limit: int, lock: str) -> None:
    """Thin the largest of the old segments until they fit the limit; a grandchild does it and nobody waits."""
    if twin.refusal() is not None:
        shrink(paths, limit)
        return
    try:
        child = os.fork()
    except OSError:
        shrink(paths, limit)
        return
    if child:
        twin.reap(child)
        return
    try:
        if os.fork() == 0:
            twin.alone()
            if locked(lock):
                shrink(paths, limit)
    finally:
        os._exit(0)


def locked(path: str) -> bool:
    """Whether this is the only process that thins; the lock goes with it."""
    import fcntl

    try:
        fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def shrink(paths: list[str], limit: int) -> None:
    """Thin segment after segment, the oldest of the largest first, until they fit or nothing more can be left out."""
    sizes = {path: os.path.getsize(path) for path in paths if os.path.exists(path)}
    while sizes and sum(sizes.values()) > limit:
        largest = max(sizes, key=lambda p: (sizes[p].bit_length(), -paths.index(p)))
        thin(largest)
        size = os.path.getsize(largest)
        if size > 0.9 * sizes[largest]:
            limit -= size
            del sizes[largest]
        else:
            sizes[largest] = size


def thin(path: str) -> None:
    """Rewrite one closed segment with every second step and sample; readers see the old file or the new one."""
    new = path + ".thinner"
    try:
        with open(path, encoding="utf-8", errors="replace") as old, open(new, "w", encoding="utf-8") as out:
            out.write('{"e":"thinned"}\n')
            for event in thinned(old):
                out.write(json.dumps(event, separators=(",", ":")) + "\n")
        os.replace(new, path)
    except BaseException:
        # A disk that is full is not to be left fuller.
        with contextlib.suppress(OSError):
            os.remove(new)
        raise


def thinned(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """The events that stay, of each kind every second one where it is a sample in time."""
    seen: Counter[tuple[Any, ...]] = Counter()
    totals: dict[str, dict[str, Any]] = {}
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        kind = event["e"]
        if kind == "site":
            yield event
        elif kind in TOTALS:
            totals[kind] = event
        elif kind == "steps" and event["n"] > 1:
            yield every_second(event)
        elif kind != "thinned":
            # By whose it is as well, or of two that take turns one would be lost.
            which = (kind, event.get("o"), event.get("site"), event.get("phase"), event.get("l"))
            seen[which] += 1
            seen[kind,] += 1
            if seen[which] % 2 or (kind in STAYING and seen[kind,] <= OFTEN):
                yield event
    yield from totals.values()


def every_second(block: dict[str, Any]) -> dict[str, Any]:
    """A block of steps with every second one left out; `every` tells how far apart the rest are."""
    size = block["n"]
    # Each holds one entry per step, unless it says "the same for all".
    for name in Block.COLUMNS:
        column = block.get(name)
        if isinstance(column, list) and len(column) == size and size > 1:
            block[name] = column[::2]
    for name in ("kept", "est"):
        block[name] = [k // 2 for k in block.get(name, []) if k % 2 == 0]
    block["n"] = (size + 1) // 2
    block["every"] = 2 * block.get("every", 1)
    return block
