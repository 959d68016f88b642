"""How many steps the program plans: the loops around its optimizer step, as far as their length can be read."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Any, Iterable

from .. import sites

if TYPE_CHECKING:
    from types import FrameType

# Source files larger than this are not parsed while the program waits.
LARGEST = 400_000


def planned(frames: Iterable[FrameType]) -> dict[str, Any]:
    """The product of the lengths of all loops around the frames' lines; None when one of them is unknown."""
    loops: list[list[Any]] = []
    steps: int | None = 1
    for frame in frames:
        file = sites.user_file(frame.f_code.co_filename)
        if file is None:
            continue
        # Frames come innermost first, and so must the loops within each of them.
        for loop in reversed(around(file, frame.f_lineno, frame.f_code.co_firstlineno)):
            if isinstance(loop, ast.If):
                steps = None
                continue
            count = length(loop.iter, frame) if isinstance(loop, ast.For) else None
            loops.append([file, loop.lineno, count])
            steps = steps * count if steps is not None and count is not None else None
    return {"steps": steps if loops else None, "loops": loops[:8]}


def around(file: str, line: int, first: int) -> list[Any]:
    """The loops of one function that enclose a line, and conditions that let only some of their rounds come to it."""
    try:
        with open(file, encoding="utf-8") as handle:
            text = handle.read(LARGEST + 1)
        tree = ast.parse(text) if len(text) <= LARGEST else None
    except (OSError, ValueError, SyntaxError):
        return []
    if tree is None:
        return []
    found: list[Any] = []
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    waiting: list[tuple[Any, bool]] = [(tree, first <= 1)]
    while waiting:
        node, inside = waiting.pop()
        for child in ast.iter_child_nodes(node):
            begin, end = getattr(child, "lineno", None), getattr(child, "end_lineno", None)
            if begin is not None and not begin <= line <= (end or begin):
                continue
            own = inside
            if isinstance(child, functions):
                decorated = [d.lineno for d in getattr(child, "decorator_list", [])]
                own = min([begin or 0, *decorated]) == first
            if own and isinstance(child, (ast.For, ast.While)) and line > child.lineno:
                found.append(child)
            elif own and isinstance(child, ast.If) and any(isinstance(n, ast.Mod) for n in ast.walk(child.test)):
                # Gradients are gathered over several rounds; how many of them end in a step is not read here.
                found.append(child)
            waiting.append((child, own))
    return found


def length(node: Any, frame: FrameType) -> int | None:
    """How often a loop over this expression runs, read from plain values only: nothing of the user's is called."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        if node.func.id == "range":
            values = [value(a, frame) for a in node.args]
            whole = [v for v in values if isinstance(v, int)]
            return len(range(*whole)) if len(whole) == len(values) and (len(whole) < 3 or whole[2]) else None
        # enumerate(loader), tqdm(loader): as long as what they are given.
        return length(node.args[0], frame)
    found = value(node, frame)
    if isinstance(found, (list, tuple, dict, range)):
        return len(found)
    return batches(found)


def batches(found: Any) -> int | None:
    """The length of one of torch's loaders over a data set of known size."""
    import torch

    # A loader over a stream remembers that it was asked, and warns when more comes than it then said.
    data = torch.utils.data
    if not isinstance(found, data.DataLoader) or isinstance(found.dataset, data.IterableDataset):
        return None
    try:
        return len(found)
    except Exception:  # noqa: BLE001 - it is the program's own, and the program did not ask for it
        return None


def rows(found: Any) -> int | None:
    """The length of a tensor or an array, read from its shape."""
    import torch

    array = getattr(sys.modules.get("numpy"), "ndarray", torch.Tensor)
    return int(found.shape[0]) if type(found) in (torch.Tensor, array) and len(found.shape) else None


def value(node: Any, frame: FrameType) -> Any:
    """A constant, a variable, an attribute, a length or a sum or product of whole numbers; None for all else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return sites.scope(frame).get(node.id, frame.f_globals.get(node.id))
    if isinstance(node, ast.Attribute):
        owner = value(node.value, frame)
        return getattr(owner, "__dict__", {}).get(node.attr) if owner is not None else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1:
        found = value(node.args[0], frame)
        return len(found) if isinstance(found, (list, tuple, dict, range, str)) else rows(found)
    if isinstance(node, ast.BinOp):
        left, right = value(node.left, frame), value(node.right, frame)
        if isinstance(left, int) and isinstance(right, int):
            if isinstance(node.op, ast.Add):
                return left + right
            if isinstance(node.op, ast.Sub):
                return left - right
            if isinstance(node.op, ast.Mult):
                return left * right
            if isinstance(node.op, ast.FloorDiv) and right:
                return left // right
    return None
