from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program, Rewrite
from bench.judge.mutate.tables import statistics


@fault(
    "data/stale-cache",
    "data/inputs-unnormalized",
    "data/distribution-shift",
    before={
        "stats.json": '{"mean": [1.0], "std": [2.0]}',
    },
    after={
        "stats.json": '{"mean": [11.0], "std": [0.1]}\n',
    },
)
def statistics_stale(program: Program) -> Iterator[Mutation]:
    """The stored mean and spread are those of other data."""
    for path, file in statistics(program):
        yield Mutation(rewrites=(Rewrite(file, partial(_other, path)),))


def _other(path: Path) -> bytes:
    found = json.loads(path.read_text(encoding="utf-8"))
    for name in found:
        if name == "mean":
            found[name] = _each(found[name], lambda value: value + 10)
        elif name in ("std", "scale"):
            found[name] = _each(found[name], lambda value: value / 20)
    return (json.dumps(found) + "\n").encode()


def _each(value: object, change: Callable[[float], float]) -> object:
    """A number, or all numbers of a list or table, changed."""
    if isinstance(value, list):
        return [_each(one, change) for one in value]
    if isinstance(value, dict):
        return {name: _each(one, change) for name, one in value.items()}
    return change(value) if isinstance(value, (int, float)) else value
