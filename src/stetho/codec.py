"""Frozen dataclasses to JSON and back, so that every record can be kept and judged again later."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from stetho.evidence import Json

T = TypeVar("T")
PLAIN = {int, str, bool, type(None)}


def encode(value: object) -> Json:
    """A JSON value for a dataclass; non-finite floats become strings, because JSON has none."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, Mapping):
        return {str(k): encode(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        kinds = set(map(type, value))
        if kinds <= PLAIN or (kinds == {float} and all(map(math.isfinite, value))):
            # A curve of thousands of numbers is most of what is kept.
            return list(value)
        return [encode(v) for v in value]
    raise TypeError(f"cannot be kept as JSON: {type(value).__name__}")


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


def decode(cls: type[T], data: object) -> T:
    """The dataclass that `encode` wrote. Keys it does not know are passed over, so newer records still load."""
    return _decode(cls, data)  # type: ignore[no-any-return]


def _decode(kind: Any, data: object) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        if data is None:
            return None
        options = [a for a in get_args(kind) if a is not type(None)]
        return _decode(options[0], data) if len(options) == 1 else data
    if is_dataclass(kind) and isinstance(kind, type):
        if isinstance(data, kind):
            return data
        if not isinstance(data, Mapping):
            raise TypeError(f"{kind.__name__} needs a mapping, not {type(data).__name__}")
        hints = _hints(kind)
        return kind(**{f.name: _decode(hints[f.name], data[f.name]) for f in fields(kind) if f.name in data})
    if origin is tuple and isinstance(data, (list, tuple)):
        args = get_args(kind)
        if len(args) == 2 and args[1] is Ellipsis:
            if args[0] is float and set(map(type, data)) <= {float, int, str}:
                return tuple(map(float, data))
            if args[0] in PLAIN:
                return tuple(data)
            return tuple(_decode(args[0], v) for v in data)
        return tuple(_decode(a, v) for a, v in zip(args, data, strict=True))
    if origin in (dict, Mapping) and isinstance(data, Mapping):
        value_kind = get_args(kind)[1]
        return {k: _decode(value_kind, v) for k, v in data.items()}
    if kind is float and isinstance(data, (int, float, str)):
        return float(data)
    return data
