"""Where the values of a parameter come from: loaded, trained before, or as random as the layer was made."""

from __future__ import annotations

import re
import sys
from typing import Any, Iterable

import torch

from .. import sites

# In-place writes that making and initialising a layer leave behind; training leaves many more.
WRITES = 8
# Mean fourth power over the squared variance, of even and of normal random numbers, with room for small samples.
EVEN, NORMAL = (1.55, 2.05), (2.4, 3.6)
LEAST = 48
FREEZING = re.compile(r"requires_grad\s*=\s*False|requires_grad_\s*\(\s*(?:requires_grad\s*=\s*)?False")


def owners(modules: Iterable[Any]) -> dict[int, Any]:
    """The layer that holds each parameter itself."""
    return {id(p): part for m in modules for part in m.modules() for p in part.parameters(recurse=False)}


def writes(parameter: Any) -> int:
    """How often a parameter was written to in place, as far as torch counts it."""
    try:
        return int(parameter._version)
    except RuntimeError:
        return 0


def worn(parameter: Any) -> bool:
    """Whether a parameter was written to far more often than its making takes."""
    return writes(parameter) > WRITES


def fresh(parameter: Any, layer: Any) -> bool:
    """Whether a parameter still has the random values that a layer of torch's is made with."""
    if layer is None or not type(layer).__module__.startswith("torch.nn.") or not parameter.is_floating_point():
        return False
    written = writes(parameter)
    values = parameter.detach().reshape(-1)[:65_536].float()
    if not 1 <= written <= WRITES or parameter.dim() < 2 or values.numel() < LEAST:
        return False
    values = values - values.mean()
    square = float((values**2).mean())
    tails = float((values**4).mean()) / square**2 if square > 0 else 0.0
    return EVEN[0] < tails < EVEN[1] or NORMAL[0] < tails < NORMAL[1]


def frozen_at() -> list[list[Any]]:
    """Lines of the program's own files that switch gradients off for parameters."""
    found: list[list[Any]] = []
    for module in list(sys.modules.values()):
        name = getattr(module, "__file__", None)
        path = sites.user_file(name) if isinstance(name, str) else None
        if path is None or not path.endswith(".py") or len(found) >= 8:
            continue
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                lines = file.read().splitlines()
        except OSError:
            continue
        found += [[path, i, ""] for i, line in enumerate(lines, 1) if FREEZING.search(line.split("#")[0])]
    return found[:8]


def described(modules: list[Any], held: set[int], loaded: set[int]) -> dict[str, Any]:
    """Of models that are trained in part: how much of them is frozen, and how much of that is as random as at first."""
    layers = owners(modules)
    partly = [m for m in modules if any(id(p) in held and p.requires_grad for p in m.parameters())]
    every = {id(p): p for m in partly for p in m.parameters()}
    frozen = [p for p in every.values() if not p.requires_grad]
    with torch.no_grad():
        random = [p for p in frozen if id(p) not in loaded and fresh(p, layers.get(id(p)))]
    return {
        "elements": sum(p.numel() for p in every.values()),
        "frozen": sum(p.numel() for p in frozen),
        "random": sum(p.numel() for p in random),
        "at": frozen_at() if random else [],
    }
