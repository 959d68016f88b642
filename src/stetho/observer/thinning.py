"""Old segments of a long recording lose every second step, in a process of their own, so that the run never waits."""

from __future__ import annotations

import json
import os
from typing import Any

# Columns of a block of steps that hold one entry per step, unless they say "the same for all".
COLUMNS = ("loss", "terms", "lr", "g", "bw", "clip", "dt", "dw", "vt", "bt", "order")
# Samples in time; of these every second is dropped. Everything else is said once and stays.
SAMPLES = ("sample", "activations", "batch", "loss-call", "loss-value", "terms", "fit", "graph", "check", "epoch")


def begin(paths: list[str], limit: int) -> None:
    """Thin the largest of the old segments until they fit the limit; a grandchild does it and nobody waits."""
    if not hasattr(os, "fork"):
        return
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        if os.fork() == 0:
            shrink(paths, limit)
    finally:
        os._exit(0)


def shrink(paths: list[str], limit: int) -> None:
    """Thin segment after segment, the oldest of the largest first."""
    for _ in range(4 * len(paths)):
        sizes = {path: os.path.getsize(path) for path in paths if os.path.exists(path)}
        if sum(sizes.values()) <= limit:
            return
        thin(max(sizes, key=lambda p: (sizes[p] // (1024 * 1024), -paths.index(p))))


def thin(path: str) -> None:
    """Rewrite one closed segment with every second step and sample; readers see the old file or the new one."""
    kept = 0
    new = path + ".thinner"
    with open(path, encoding="utf-8", errors="replace") as old, open(new, "w", encoding="utf-8") as out:
        out.write('{"e":"thinned"}\n')
        for line in old:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if event["e"] == "thinned":
                continue
            if event["e"] in SAMPLES:
                kept += 1
                if kept % 2:
                    continue
            elif event["e"] == "steps":
                event = every_second(event)
            out.write(json.dumps(event, separators=(",", ":")) + "\n")
    os.replace(new, path)


def every_second(block: dict[str, Any]) -> dict[str, Any]:
    """A block of steps with every second one left out; `every` tells how far apart the rest are."""
    size = block["n"]
    for name in COLUMNS:
        column = block.get(name)
        if isinstance(column, list) and len(column) == size and size > 1:
            block[name] = column[::2]
    for name in ("kept", "est"):
        block[name] = [k // 2 for k in block.get(name, []) if k % 2 == 0]
    block["n"] = (size + 1) // 2
    block["every"] = 2 * block.get("every", 1)
    return block
