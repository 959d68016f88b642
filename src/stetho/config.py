"""Options from `[tool.stetho]` in the working directory's pyproject.toml; the command line wins over them."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from stetho.errors import BadRequest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SIZES = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40, "": 1}
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "": 1.0}


@dataclass(frozen=True)
class Config:
    """What a project may set once for all its investigations."""

    budget: float = 600.0
    seed: int = 0
    case: str = ".stetho"
    experiments: bool = True


def seconds(text: str) -> float:
    """A duration such as 90s, 10m or 1h."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smh]?)\s*", text)
    if match is None or float(match[1]) <= 0:
        raise BadRequest(f"'{text}' is no duration; write 90s, 10m or 1h")
    return float(match[1]) * UNITS[match[2]]


def size(text: str) -> int:
    """An amount of memory such as 800M, 2G or 1.5GB, in bytes."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", text.lower())
    if match is None or float(match[1]) <= 0:
        raise BadRequest(f"'{text}' is no amount of memory; write 800M, 2G or 1.5G")
    return int(float(match[1]) * SIZES[match[2]])


def load(directory: Path) -> Config:
    """The project's settings; a wrong key or type is said, not passed over."""
    file = directory / "pyproject.toml"
    try:
        tool = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadRequest(f"{file} cannot be read: {error}") from error
    table = tool.get("stetho", {}) if isinstance(tool, dict) else None
    if not isinstance(table, dict):
        raise BadRequest(f"{file}: [tool.stetho] must be a table of options")
    wanted = {"budget": str, "seed": int, "case": str, "experiments": bool}
    for key, value in table.items():
        if key not in wanted:
            raise BadRequest(f"{file}: [tool.stetho] has no option '{key}'; it knows {', '.join(wanted)}")
        if type(value) is not wanted[key]:
            raise BadRequest(f"{file}: [tool.stetho] {key} must be a {wanted[key].__name__}")
    if "budget" in table:
        table["budget"] = seconds(table["budget"])
    return Config(**table)
