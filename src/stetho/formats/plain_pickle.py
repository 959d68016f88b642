"""Pickles of plain data, read by hand: numbers, texts, lists, tuples, dicts. What would call or import is refused."""

from __future__ import annotations

import struct

LARGEST = 64 << 20
MOST_OPERATIONS = 8_000_000
MOST_CONTAINERS = 1_000_000


class Refused(ValueError):
    """What the pickle asks for is not plain data, or not a pickle."""

    def __init__(self, what: str, offset: int) -> None:
        super().__init__(what)
        self.offset = offset


class _Mark:
    """Where a sequence of items on the stack begins."""


MARK = _Mark()
EMPTY = {b"]": list, b"}": dict, b")": tuple}
CONSTANTS = {b"N": None, b"\x88": True, b"\x89": False}
# Numbers of a fixed width.
FIXED = {b"K": struct.Struct("<B"), b"M": struct.Struct("<H"), b"J": struct.Struct("<i"), b"G": struct.Struct(">d")}
# Texts and bytes that follow their length: how it is written, and whether it is text.
SIZED = {
    b"X": (struct.Struct("<I"), True), b"\x8c": (struct.Struct("<B"), True), b"\x8d": (struct.Struct("<Q"), True),
    b"U": (struct.Struct("<B"), False), b"T": (struct.Struct("<i"), False), b"B": (struct.Struct("<I"), False),
    b"C": (struct.Struct("<B"), False), b"\x8e": (struct.Struct("<Q"), False),
}  # fmt: skip
LONGS = {b"\x8a": struct.Struct("<B"), b"\x8b": struct.Struct("<i")}
PUT = {b"q": struct.Struct("<B"), b"r": struct.Struct("<I")}
GET = {b"h": struct.Struct("<B"), b"j": struct.Struct("<I")}
TUPLES = {b"\x85": 1, b"\x86": 2, b"\x87": 3}
IGNORED = {b"\x80": 1, b"\x95": 8}


class _Machine:
    """The part of the pickle machine that makes plain data."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0
        self.stack: list[object] = []
        self.memo: dict[int, object] = {}
        self.containers = 0

    def number(self, form: struct.Struct) -> int:
        (value,) = form.unpack_from(self.data, self.at)
        self.at += form.size
        return int(value)

    def taken(self, size: int) -> bytes:
        if not 0 <= size <= len(self.data) - self.at:
            raise Refused("a value goes beyond the end", self.at)
        self.at += size
        return self.data[self.at - size : self.at]

    def since_mark(self) -> list[object]:
        """The items that were put on the stack since the last mark."""
        for place in range(len(self.stack) - 1, -1, -1):
            if self.stack[place] is MARK:
                items = self.stack[place + 1 :]
                del self.stack[place:]
                return items
        raise Refused("items without a beginning", self.at)

    def container(self, value: object) -> None:
        self.containers += 1
        if self.containers > MOST_CONTAINERS:
            raise Refused(f"more than {MOST_CONTAINERS} lists and dicts", self.at)
        self.stack.append(value)

    def extend(self, items: list[object]) -> None:
        target = self.stack[-1]
        if not isinstance(target, list):
            raise Refused("items for what is no list", self.at)
        target.extend(items)

    def update(self, items: list[object]) -> None:
        target = self.stack[-1]
        if not isinstance(target, dict) or len(items) % 2:
            raise Refused("members for what is no dict", self.at)
        for key, value in zip(items[::2], items[1::2], strict=True):
            # Other keys would be compared by what they hold, which can take forever.
            if not isinstance(key, (str, int, bytes)):
                raise Refused("a key that is neither text nor number", self.at)
            target[key] = value

    def step(self, code: bytes) -> None:
        """One operation; anything that is not named here is refused."""
        stack = self.stack
        if code in SIZED:
            form, is_text = SIZED[code]
            held = self.taken(self.number(form))
            stack.append(held.decode("utf-8", "replace") if is_text else held)
        elif code in FIXED:
            (value,) = FIXED[code].unpack_from(self.data, self.at)
            self.at += FIXED[code].size
            stack.append(value)
        elif code in PUT:
            self.memo[self.number(PUT[code])] = stack[-1]
        elif code in GET:
            stack.append(self.memo[self.number(GET[code])])
        elif code == b"\x94":
            self.memo[len(self.memo)] = stack[-1]
        elif code in CONSTANTS:
            stack.append(CONSTANTS[code])
        elif code in EMPTY:
            self.container(EMPTY[code]())
        elif code in TUPLES:
            items = stack[-TUPLES[code] :]
            if len(items) < TUPLES[code] or any(item is MARK for item in items):
                raise Refused("too few items", self.at)
            del stack[-TUPLES[code] :]
            self.container(tuple(items))
        else:
            self.sequence(code)

    def sequence(self, code: bytes) -> None:
        """Operations on items since a mark, and the few that are left."""
        if code == b"(":
            self.stack.append(MARK)
        elif code == b"e":
            self.extend(self.since_mark())
        elif code == b"u":
            self.update(self.since_mark())
        elif code == b"a":
            self.extend([self.stack.pop()])
        elif code == b"s":
            value, key = self.stack.pop(), self.stack.pop()
            self.update([key, value])
        elif code in (b"t", b"l"):
            items = self.since_mark()
            self.container(tuple(items) if code == b"t" else items)
        elif code == b"d":
            items = self.since_mark()
            self.container({})
            self.update(items)
        elif code in LONGS:
            self.stack.append(int.from_bytes(self.taken(self.number(LONGS[code]))[:64], "little", signed=True))
        elif code in IGNORED:
            self.taken(IGNORED[code])
        else:
            raise Refused(f"operation {code!r} is none of plain data", self.at - 1)


def loads(data: bytes) -> object:
    """The plain data of a pickle. Nothing is imported and nothing is called, whatever the pickle says."""
    machine = _Machine(data)
    for _ in range(MOST_OPERATIONS):
        code = data[machine.at : machine.at + 1]
        machine.at += 1
        if code == b".":
            if not machine.stack or machine.stack[-1] is MARK:
                raise Refused("nothing is left at the end", machine.at)
            return machine.stack[-1]
        if not code:
            raise Refused("cut off before its end", len(data))
        try:
            machine.step(code)
        except (IndexError, KeyError):
            raise Refused("something is asked for that is not there", machine.at) from None
        except struct.error:
            raise Refused("cut off before its end", len(data)) from None
    raise Refused(f"more than {MOST_OPERATIONS} operations", machine.at)
