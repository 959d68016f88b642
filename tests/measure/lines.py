"""Recordings written by hand, line by line, and the facts that are read from them."""

from __future__ import annotations

import base64
import json
import math
import struct
from pathlib import Path
from typing import Any, TypeVar

from stetho import measure, recording
from stetho.evidence import Place
from stetho.facts import Fact
from stetho.recording import Recording

F = TypeVar("F", bound=Fact)
NAN, INF = math.nan, math.inf
TRAIN, MAKE = Place("/w/train.py", 9, key="main"), Place("/w/train.py", 5, key="main")


def plain(value: Any) -> Any:
    """JSON has no word for what is not finite; the observer writes a text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return {k: plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def line(kind: str, **fields: Any) -> str:
    return json.dumps({"e": kind, **plain(fields)}, separators=(",", ":")) + "\n"


def steps(first: int, losses: list[float], *, optimizer: int = 0, **more: Any) -> str:
    """A block with one loss for each step; other columns as given."""
    body = {
        "o": optimizer, "i": first, "n": len(losses), "loss": [[[0, v]] for v in losses], "lr": [[0.1]],
        "g": [1.0] * len(losses), "bw": [1], "dt": [0.5] * len(losses), "order": ["zfbs"], "t": 1.0, "wall": 100.0,
    }  # fmt: skip
    return line("steps", **{**body, **more})


HEAD = (
    line("attached", pid=1, torch="2")
    + line("run", argv=["train.py", "--lr", "1"], cwd="/w", python="3.11", torch="2", threads=1, rank=0, world=1)
    + line("site", id=0, frames=[["/w/train.py", 9, "main"], ["/w/run.py", 2, "<module>"]])
    + line("site", id=1, frames=[["/w/train.py", 5, "main"]])
    + line("optimizer", o=0, name="SGD", site=1, lr=[0.1])
)


def write(folder: Path, text: str, name: str = "r0-1.jsonl") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def read(folder: Path, *parts: str) -> Recording:
    return recording.read(write(folder, HEAD + "".join(parts)))


def told(record: Recording) -> dict[type[Fact], tuple[Fact, str]]:
    """Every fact of a recording by its kind; each comes once, and with one sentence."""
    found = list(measure.facts(record))
    kinds = {type(fact): (fact, summary) for fact, summary in found}
    assert len(kinds) == len(found)
    assert all(summary.strip() and "\n" not in summary for _, summary in found)
    return kinds


def fact(kind: type[F], record: Recording) -> F:
    found = told(record)[kind][0]
    assert isinstance(found, kind)
    return found


def summary(kind: type[Fact], record: Recording) -> str:
    return told(record)[kind][1]


def packed(values: list[float], *shape: int) -> dict[str, Any]:
    raw = struct.pack(f"<{len(values)}f", *values)
    return {"shape": list(shape), "b64": base64.b64encode(raw).decode("ascii")}


def call(function: str = "cross_entropy", *, site: int = 0, grad: bool = True, **more: Any) -> str:
    body = {"fn": function, "site": site, "step": 0, "n": 1, "grad": grad, "shape": [4, 3], "red": "mean"}
    return line("loss-call", **{**body, **more})
