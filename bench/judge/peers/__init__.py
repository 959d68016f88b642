"""The tools that stetho stands beside, one file each: `TOOL`, `version()`, and `answer(subject, version)`."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def peers() -> dict[str, ModuleType]:
    """All of them by name; the folder is the registry."""
    found = [importlib.import_module(f"{__name__}.{one.name}") for one in pkgutil.iter_modules(__path__)]
    return {one.TOOL: one for one in found if hasattr(one, "TOOL")}
