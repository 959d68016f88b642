"""Who holds what was computed in earlier steps: names of the program's, and the line that puts it there."""

from __future__ import annotations

import itertools
import linecache
import re
from collections import deque
from typing import TYPE_CHECKING, Any, Iterator

import torch

from .. import sites
from ..graph import node_of
from .reach import named_values

if TYPE_CHECKING:
    from types import FrameType

    from ..sites import Place

# Names that are told, items of a collection that are looked at, and how deep collections are looked into.
NAMES, ITEMS, DEPTH = 4, 3, 3
# How a name is added to: its index may come first.
ADDED = r"(?<![\w.]){}\s*(?:\[[^\]]*\]\s*)?(?:\.(?:append|appendleft|extend|insert|add|update)\s*\(|[-+*|]=)"
# A name that is given a value made of itself.
REPLACED = r"(?<![\w.]){0}\s*=(?!=).*(?<![\w.]){0}(?!\w)"


def holders(made_before: Any) -> list[tuple[str, list[Place]]]:
    """The names in reach that hold values of earlier steps with their graphs, each with a line where it is added to."""
    found: dict[str, list[Place]] = {}
    for frame in sites.user_frames(6, 4):
        for name, value in named_values(frame):
            if name not in found and len(found) < NAMES and any(made_before(node) for node in nodes_in(value)):
                found[name] = line_of(frame, name)
    return list(found.items())


def nodes_in(value: Any, depth: int = DEPTH) -> Iterator[Any]:
    """The nodes behind the first tensors of a value."""
    if isinstance(value, torch.Tensor):
        node = node_of(value)
        if node is not None:
            yield node
    elif depth and type(value) in (list, tuple, deque):
        for item in itertools.islice(value, ITEMS):
            yield from nodes_in(item, depth - 1)
    elif depth and isinstance(value, dict):
        for item in itertools.islice(list(value.values()), 4 * ITEMS):
            yield from nodes_in(item, depth - 1)


def line_of(frame: FrameType, name: str) -> list[Place]:
    """The line of a frame's file that adds to a name, else where the frame is now."""
    path = frame.f_code.co_filename
    lines = linecache.getlines(path)
    for pattern in (ADDED, REPLACED):
        for number, line in enumerate(lines, 1):
            if re.search(pattern.format(re.escape(name)), line.partition("#")[0]):
                return [(sites.user_file(path), number, frame.f_code.co_name)]
    return sites.places([frame])
