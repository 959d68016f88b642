"""Rows of JSON on disk, written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def rows(path: Path) -> list[dict[str, Any]]:
    """All rows; none when there is no file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def write(path: Path, found: Iterable[Mapping[str, Any]]) -> None:
    """Replace all rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row, sort_keys=True) + "\n" for row in found)
    part = path.with_name(path.name + f".{os.getpid()}")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def append(path: Path, row: Mapping[str, Any]) -> None:
    """Add one row; what was there stays as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as out:
        out.write(json.dumps(row, sort_keys=True) + "\n")
