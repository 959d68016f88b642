"""Scalars in TensorBoard events: read one by one, or all at once where many records have one layout.

The slow way, `event`, says what a record holds. The fast way, `Scalars.add`, finds records that differ from one
that was read the slow way only in their time, step and number, and takes these three from where they stand.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from stetho.formats import wire
from stetho.formats.tfrecords import HEADER, Frames

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]
    Bytes = NDArray[np.uint8]

# TensorFlow's data types: how wide one number is, and how it is read.
TYPES = {
    1: (4, "<f4"), 2: (8, "<f8"), 3: (4, "<i4"), 4: (1, "u1"), 5: (2, "<i2"), 6: (1, "i1"), 9: (8, "<i8"),
    10: (1, "u1"), 14: (2, "bfloat16"), 17: (2, "<u2"), 19: (2, "<f2"), 22: (4, "<u4"), 23: (8, "<u8"),
}  # fmt: skip
# Fields of a tensor that hold its numbers, when they are not held as bytes.
PACKED = {5: (4, "<f4"), 6: (8, "<f8")}
VARINTS = {7, 10, 11, 13, 16, 17}
SCALARS = ("", "scalars")
# Records of one length are compared with so many others before the rest is read one by one.
MOST_LAYOUTS = 12
LONGEST_LAYOUT = 4096
FEW = 4


@dataclass(frozen=True)
class Scalar:
    """One number of a summary. Where it is held as bytes, `begin` and `kind` say where and as what."""

    tag: str
    value: float
    tensor: bool
    begin: int = -1
    width: int = 0
    kind: str = ""


@dataclass(frozen=True)
class Summary:
    """What a summary holds: its scalars, and the plugin of each tag that names one."""

    scalars: tuple[Scalar, ...]
    plugins: tuple[tuple[str, str], ...]


def number(data: bytes, kind: str) -> float:
    """A number that is held as bytes."""
    if kind == "bfloat16":
        return float(np.frombuffer(b"\0\0" + data, "<f4")[0])
    return float(np.frombuffer(data, kind)[0])


def event(data: bytes) -> tuple[float, int, Summary]:
    """The time, the step and the summary of one record."""
    time, step = 0.0, 0
    scalars: list[Scalar] = []
    plugins: list[tuple[str, str]] = []
    for name, kind, begin, end in wire.fields(data):
        if name == 1 and kind == wire.FIXED64:
            time = wire.double(data, begin)
        elif name == 2 and kind == wire.VARINT:
            step = wire.signed(begin)
        elif name == 5 and kind == wire.BYTES:
            found = summary(data, begin, end)
            scalars += found.scalars
            plugins += found.plugins
    return time, step, Summary(tuple(scalars), tuple(plugins))


def summary(data: bytes, begin: int, end: int) -> Summary:
    """The values of a summary that are single numbers."""
    scalars, plugins = [], []
    for name, kind, first, last in wire.fields(data, begin, end):
        if name != 1 or kind != wire.BYTES:
            continue
        tag, plugin, found = _value(data, first, last)
        if plugin:
            plugins.append((tag, plugin))
        if found is not None:
            scalars.append(found)
    return Summary(tuple(scalars), tuple(plugins))


def _value(data: bytes, begin: int, end: int) -> tuple[str, str, Scalar | None]:
    tag = plugin = ""
    simple: tuple[int, int] | None = None
    tensor: tuple[int, int] | None = None
    for name, kind, first, last in wire.fields(data, begin, end):
        if name == 1 and kind == wire.BYTES:
            tag = wire.text(data, first, last)
        elif name == 2 and kind == wire.FIXED32:
            simple = (first, last)
        elif name == 8 and kind == wire.BYTES:
            tensor = (first, last)
        elif name == 9 and kind == wire.BYTES:
            plugin = _plugin(data, first, last)
    if simple is not None:
        value = struct.unpack_from("<f", data, simple[0])[0]
        return tag, plugin, Scalar(tag, value, False, simple[0], 4, "<f4")
    return tag, plugin, _tensor(data, *tensor, tag) if tensor is not None else None


def _plugin(data: bytes, begin: int, end: int) -> str:
    for name, kind, first, last in wire.fields(data, begin, end):
        if name == 1 and kind == wire.BYTES:
            for inner, shape, start, stop in wire.fields(data, first, last):
                if inner == 1 and shape == wire.BYTES:
                    return wire.text(data, start, stop)
    return ""


def _tensor(data: bytes, begin: int, end: int, tag: str) -> Scalar | None:
    """The number of a tensor that holds one; nothing for text and for tensors with more or less in them."""
    held, found, elements = 0, [], 1
    for name, kind, first, last in wire.fields(data, begin, end):
        if name == 1 and kind == wire.VARINT:
            held = first
        elif name == 2 and kind == wire.BYTES:
            elements = _elements(data, first, last)
        elif name == 4 and kind == wire.BYTES:
            found.append((first, last, "content"))
        elif name in PACKED and kind in (wire.BYTES, wire.FIXED32, wire.FIXED64):
            found.append((first, last, PACKED[name][1]))
        elif name in VARINTS and kind == wire.VARINT:
            found.append((first, -1, "varint"))
        elif name in VARINTS and kind == wire.BYTES:
            found.append((wire.varint(data, first, last)[0] if last - first <= 10 else 0, -1, "varint"))
    if held not in TYPES or elements != 1 or len(found) != 1:
        return None
    width, kind_ = TYPES[held]
    first, last, how = found[0]
    if how == "varint":
        value = number((first & 0xFFFF).to_bytes(2, "little"), kind_) if held in (14, 19) else float(wire.signed(first))
        return Scalar(tag, value, True)
    if how != "content":
        width, kind_ = {"<f4": (4, "<f4"), "<f8": (8, "<f8")}[how]
    if last - first != width:
        return None
    return Scalar(tag, number(data[first:last], kind_), True, first, width, kind_)


def _elements(data: bytes, begin: int, end: int) -> int:
    """How many numbers a tensor of that shape has; 0 where it is not told."""
    product = 1
    for name, kind, first, last in wire.fields(data, begin, end):
        if name == 3 and kind == wire.VARINT and first:
            return 0
        if name == 2 and kind == wire.BYTES:
            sizes = [value for inner, shape, value, _ in wire.fields(data, first, last) if (inner, shape) == (1, 0)]
            product = min(product * (wire.signed(sizes[0]) if sizes else 0), 2)
    return product


@dataclass
class Scalars:
    """The scalars of a file, gathered part by part."""

    tags: dict[tuple[str, bool], int] = field(default_factory=dict)
    plugins: dict[str, tuple[int, str]] = field(default_factory=dict)
    """The plugin that the first event of a tag names, and the offset of that event."""
    parts: list[tuple[Whole, Whole, NDArray[np.float64], Whole, NDArray[np.float64]]] = field(default_factory=list)
    """Tags by number, offsets, times, steps and values."""
    malformed: int = 0
    first_malformed: int = -1

    def add(self, part: Frames) -> None:
        """What the records of a part hold."""
        heads = _Heads(part)
        body = heads.body
        self._slow(part, np.flatnonzero(~heads.plain))
        rows = np.flatnonzero(heads.plain)
        sizes = part.ends[rows] - body[rows]
        order = np.argsort(sizes, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(sizes[order])) + 1):
            if len(group):
                self._alike(part, heads, rows[group], int(sizes[group[0]]))

    def _alike(self, part: Frames, heads: _Heads, rows: Whole, size: int) -> None:
        """Records of one length: those with one layout are read at once."""
        if not len(rows) >= FEW or not 0 < size <= LONGEST_LAYOUT:
            self._slow(part, rows)
            return
        table = np.zeros((len(rows), -(-size // 8) * 8), np.uint8)
        table[:, :size] = sliding_window_view(part.data, size)[heads.body[rows]]
        for _ in range(MOST_LAYOUTS):
            if len(rows) < FEW:
                break
            offsets = part.begins[rows] + (part.offset - HEADER)
            one = self._layout(table[0, :size].tobytes(), int(offsets[0]))
            taken = np.zeros(len(rows), np.bool_)
            if one is None:
                self._slow(part, rows[:1])
                taken[0] = True
            else:
                ids = self._matching(table, size, one, offsets)
                taken = ids >= 0
                held = table[taken, one.begin : one.begin + one.width]
                self._keep(part, heads, rows[taken], ids[taken], _numbers(held, one.kind))
            rows, table = rows[~taken], table[~taken]
        self._slow(part, rows)

    def _layout(self, body: bytes, offset: int) -> Scalar | None:
        """Its scalar, when the summary has a single one at a fixed place."""
        try:
            found = summary(body, 0, len(body))
        except wire.Malformed:
            return None
        if len(found.scalars) != 1 or found.scalars[0].begin < 0:
            return None
        self._name(found, offset)
        return found.scalars[0]

    def _matching(self, table: Bytes, size: int, one: Scalar, offsets: Whole) -> Whole:
        """The tag of each record that is laid out like one of them; -1 for the others."""
        blank = table.copy()
        blank[:, one.begin : one.begin + one.width] = 0
        words = blank.view(np.uint64)
        factors = np.random.default_rng(0).integers(1, 1 << 63, words.shape[1], np.uint64) | np.uint64(1)
        keys = (words * factors).sum(axis=1, dtype=np.uint64)
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        tags = np.full(len(first), -1, np.int64)
        if len(first) <= max(64, len(table) // 4):
            for n, row in enumerate(first.tolist()):
                found = self._layout(table[row, :size].tobytes(), int(offsets[row]))
                if found is not None and (found.begin, found.kind) == (one.begin, one.kind):
                    tags[n] = self._tag(found)
        else:
            first, which = np.zeros(1, np.int64), np.zeros(len(table), np.int64)
            tags = np.array([self._tag(one)])
        # Different records may have one key: only what is the same byte for byte is taken.
        same = (words == words[first][which]).all(axis=1)
        return np.where(same, tags[which], -1)

    def _slow(self, part: Frames, rows: Whole) -> None:
        """Records read one by one."""
        ids, offsets, times, steps, values = [], [], [], [], []
        for row in rows.tolist():
            begin, end = int(part.begins[row]), int(part.ends[row])
            try:
                time, step, found = event(part.raw[begin:end])
            except wire.Malformed:
                if not self.malformed:
                    self.first_malformed = part.offset + begin - HEADER
                self.malformed += 1
                continue
            self._name(found, part.offset + begin - HEADER)
            for one in found.scalars:
                ids.append(self._tag(one))
                offsets.append(part.offset + begin - HEADER)
                times.append(time)
                steps.append(step)
                values.append(one.value)
        if ids:
            whole = (np.array(column, np.int64) for column in (ids, offsets, steps))
            i, o, s = whole
            self.parts.append((i, o, np.array(times, np.float64), s, np.array(values, np.float64)))

    def _keep(self, part: Frames, heads: _Heads, rows: Whole, ids: Whole, values: NDArray[np.float64]) -> None:
        self.parts.append(
            (ids, part.begins[rows] + (part.offset - HEADER), heads.times[rows], heads.steps[rows], values)
        )

    def _name(self, found: Summary, offset: int) -> None:
        """Remember the plugins that a summary names. Of several for one tag the first in the file counts."""
        for tag, plugin in found.plugins:
            if tag not in self.plugins or offset < self.plugins[tag][0]:
                self.plugins[tag] = offset, plugin

    def is_scalar(self, tag: str, tensor: bool) -> bool:
        """Whether single numbers under a tag are meant as such, and are not a curve's or a table's first number."""
        return not tensor or self.plugins.get(tag, (0, ""))[1] in SCALARS

    def _tag(self, one: Scalar) -> int:
        return self.tags.setdefault((one.tag, one.tensor), len(self.tags))


class _Heads:
    """Time and step of records that begin with these two and hold a summary and nothing else."""

    def __init__(self, part: Frames) -> None:
        data, begins, ends = part.data, part.begins, part.ends
        last = len(data) - 1
        self.plain = (ends - begins >= 12) & (data[begins] == 0x09)
        inside = np.where(self.plain, begins, 0)
        self.times = sliding_window_view(data, 8)[inside + 1].view("<f8").ravel().astype(np.float64)
        at = inside + 9
        stepped = data[at] == 0x10
        value, after = _varints(data, np.where(stepped, at + 1, at), ends)
        self.steps = np.where(stepped, value.view(np.int64), 0)
        at = np.where(stepped, after, at)
        self.plain &= (at < ends) & (after >= 0)
        at = np.clip(at, 0, last)
        self.plain &= data[at] == 0x2A
        size, self.body = _varints(data, np.minimum(at + 1, last), ends)
        self.plain &= (self.body >= 0) & (size.view(np.int64) == ends - self.body)


def _varints(data: Bytes, at: Whole, ends: Whole) -> tuple[NDArray[np.uint64], Whole]:
    """Numbers that begin at these places, and where each ends; -1 where it does not end in its record."""
    last = len(data) - 1
    value = np.zeros(len(at), np.uint64)
    after = np.full(len(at), -1, np.int64)
    rows, place = np.arange(len(at)), at
    for byte in range(10):
        held = data[np.minimum(place, last)]
        value[rows] |= (held & 127).astype(np.uint64) << np.uint64(7 * byte)
        done = held < 128
        after[rows[done]] = place[done] + 1
        rows, place = rows[~done], place[~done] + 1
        if not len(rows):
            break
    return value, np.where(after <= ends, after, -1)


def _numbers(held: Bytes, kind: str) -> NDArray[np.float64]:
    held = np.ascontiguousarray(held)
    if kind == "bfloat16":
        held = np.concatenate([np.zeros_like(held), held], axis=1)
        kind = "<f4"
    return held.view(kind).ravel().astype(np.float64)
