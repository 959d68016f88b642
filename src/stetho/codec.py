"""Frozen dataclasses to JSON and back, so that every record can be kept and judged again later."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

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


def checked(value: T) -> T:
    """A dataclass whose every field is what its hints say, all the way down; raises TypeError for one that is not."""
    kind: Any = type(value)
    for field in fields(kind):
        if not conforms(getattr(value, field.name), _hints(kind)[field.name]):
            raise TypeError(f"{kind.__name__}.{field.name} is of the wrong kind")
    return value


def conforms(value: object, kind: Any) -> bool:
    """Whether a value is what a type hint says; of hints that records do not use, anything is."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return any(conforms(value, one) for one in args)
    if origin is Literal:
        return value in args
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if len(args) == 2 and args[1] is Ellipsis:
            return all(conforms(one, args[0]) for one in value)
        return len(value) == len(args) and all(map(conforms, value, args))
    if origin in (dict, Mapping):
        return isinstance(value, Mapping) and all(
            conforms(k, args[0]) and conforms(v, args[1]) for k, v in value.items()
        )
    if kind is float:
        return type(value) in (int, float)
    if kind is int:
        return type(value) is int
    if isinstance(kind, type):
        if is_dataclass(kind) and isinstance(value, kind):
            checked(value)
        return isinstance(value, kind)
    return True


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
