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
    return (json.dumps(_moved(json.loads(path.read_text(encoding="utf-8")))) + "\n").encode()


def _moved(found: object) -> object:
    """All means and spreads, however deep."""
    if not isinstance(found, dict):
        return found
    changes = {"mean": lambda value: value + 10, "std": lambda value: value / 20, "scale": lambda value: value / 20}
    return {name: _each(one, changes[name]) if name in changes else _moved(one) for name, one in found.items()}


def _each(value: object, change: Callable[[float], float]) -> object:
    """A number, or all numbers of a list or table, changed."""
    if isinstance(value, list):
        return [_each(one, change) for one in value]
    if isinstance(value, dict):
        return {name: _each(one, change) for name, one in value.items()}
    return change(value) if isinstance(value, (int, float)) else value
