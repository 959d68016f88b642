"""Options from `[tool.stetho]` in the working directory's pyproject.toml; the command line wins over them."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stetho.errors import BadRequest
from stetho.experiment import ExecutorName

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SIZES = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40, "": 1}
EXECUTORS: tuple[ExecutorName, ...] = ("local", "ray", "slurm")
CLUSTERS = ("slurm", "local")
WANTED = {
    "budget": str, "seed": int, "case": str, "experiments": bool, "executor": str, "ray": dict, "slurm": dict,
}  # fmt: skip
OF_RAY = {"cpus": int, "gpus": int, "wait": str}
OF_SLURM = {
    "cluster": str, "partition": str, "account": str, "qos": str, "constraint": str,
    "cpus": int, "gpus": int, "memory": int, "time": str, "wait": str,
}  # fmt: skip
DURATIONS = ("budget", "time", "wait")
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "": 1.0}


@dataclass(frozen=True)
class OnRay:
    """What each run asks of a Ray cluster."""

    cpus: int = 1
    gpus: int = 0
    wait: float = 3600.0
    """Seconds that a run may wait for a free worker."""


@dataclass(frozen=True)
class OnSlurm:
    """What each run asks of Slurm. `cluster` is slurm, or local for submitit's stand-in on this machine."""

    cluster: str = "slurm"
    partition: str | None = None
    account: str | None = None
    qos: str | None = None
    constraint: str | None = None
    cpus: int = 1
    gpus: int = 0
    memory: int | None = None
    """Gigabytes."""
    time: float | None = None
    """Seconds; None takes them from the bound of each run."""
    wait: float = 3600.0


@dataclass(frozen=True)
class Config:
    """What a project may set once for all its investigations."""

    budget: float = 600.0
    seed: int = 0
    case: str = ".stetho"
    experiments: bool = True
    executor: ExecutorName = "local"
    ray: OnRay = OnRay()
    slurm: OnSlurm = OnSlurm()


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
    given = _checked(file, "tool.stetho", table, WANTED)
    if given.get("executor", "local") not in EXECUTORS:
        raise BadRequest(f"{file}: [tool.stetho] executor must be one of {', '.join(EXECUTORS)}")
    if "ray" in given:
        given["ray"] = OnRay(**_checked(file, "tool.stetho.ray", given["ray"], OF_RAY))
    if "slurm" in given:
        given["slurm"] = OnSlurm(**_checked(file, "tool.stetho.slurm", given["slurm"], OF_SLURM))
        if given["slurm"].cluster not in CLUSTERS:
            raise BadRequest(f"{file}: [tool.stetho.slurm] cluster must be one of {', '.join(CLUSTERS)}")
    return Config(**given)


def _checked(file: Path, section: str, table: dict[str, Any], wanted: dict[str, type]) -> dict[str, Any]:
    """The options of a table, durations in seconds."""
    for key, value in table.items():
        if key not in wanted:
            raise BadRequest(f"{file}: [{section}] has no option '{key}'; it knows {', '.join(wanted)}")
        if type(value) is not wanted[key]:
            raise BadRequest(f"{file}: [{section}] {key} must be a {wanted[key].__name__}")
    return {key: seconds(value) if key in DURATIONS else value for key, value in table.items()}
