"""A pickle drawn, not run: what it would build, with every call and class left as a name."""

from __future__ import annotations

import pickletools
from dataclasses import dataclass, field
from typing import Any

# More than any checkpoint has, and little enough to be gone through in seconds.
MOST_OPERATIONS = 3_000_000
MARK = object()


class NotDrawn(Exception):
    """The bytes are no pickle, are cut off, or ask for more than is drawn."""


@dataclass(frozen=True)
class Name:
    """A class or function that the pickle names; it is never looked up."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass
class Call:
    """Something that the pickle would have made by calling a name; it is never called."""

    what: Any
    args: Any
    state: Any = None
    items: list[Any] = field(default_factory=list)
    pairs: list[tuple[Any, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Persistent:
    """Something that lies elsewhere in the file, by its id."""

    id: Any


@dataclass
class Drawn:
    """A dictionary, with keys that may be anything."""

    pairs: list[tuple[Any, Any]] = field(default_factory=list)


class Drawing:
    """Goes through the operations of a pickle with a stack of its own."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def draw(self, data: bytes) -> Any:
        """What the pickle stands for."""
        try:
            for count, (operation, argument, _) in enumerate(pickletools.genops(data)):
                if count > MOST_OPERATIONS:
                    raise NotDrawn("too many operations")
                if operation.name == "STOP":
                    return self.stack.pop()
                self.step(operation.name, argument)
        except NotDrawn:
            raise
        except Exception as error:
            raise NotDrawn(f"{type(error).__name__}: {error}") from error
        raise NotDrawn("it has no end")

    def step(self, name: str, argument: Any) -> None:
        method = getattr(self, f"do_{name.lower()}", None)
        if method is not None:
            method(argument)
        elif name in CONSTANTS:
            self.stack.append(CONSTANTS[name])
        elif argument is not None and name not in ("FRAME", "PROTO"):
            # Every other operation with an argument puts it on the stack: numbers, texts, bytes.
            self.stack.append(argument)
        elif name not in ("FRAME", "PROTO"):
            raise NotDrawn(f"the operation {name} is not known here")

    def since_mark(self) -> list[Any]:
        for at in range(len(self.stack) - 1, -1, -1):
            if self.stack[at] is MARK:
                found = self.stack[at + 1 :]
                del self.stack[at:]
                return found
        raise NotDrawn("a mark is missing")

    def do_mark(self, _: Any) -> None:
        self.stack.append(MARK)

    def do_pop(self, _: Any) -> None:
        self.stack.pop()

    def do_pop_mark(self, _: Any) -> None:
        self.since_mark()

    def do_dup(self, _: Any) -> None:
        self.stack.append(self.stack[-1])

    def do_put(self, at: int) -> None:
        self.memo[int(at)] = self.stack[-1]

    do_binput = do_long_binput = do_put

    def do_memoize(self, _: Any) -> None:
        self.memo[len(self.memo)] = self.stack[-1]

    def do_get(self, at: int) -> None:
        self.stack.append(self.memo[int(at)])

    do_binget = do_long_binget = do_get

    def do_empty_dict(self, _: Any) -> None:
        self.stack.append(Drawn())

    def do_dict(self, _: Any) -> None:
        self.stack.append(Drawn(_paired(self.since_mark())))

    def do_empty_list(self, _: Any) -> None:
        self.stack.append([])

    do_empty_set = do_empty_list

    def do_list(self, _: Any) -> None:
        self.stack.append(self.since_mark())

    do_frozenset = do_list

    def do_tuple(self, _: Any) -> None:
        self.stack.append(tuple(self.since_mark()))

    def do_tuple1(self, _: Any) -> None:
        self.stack[-1:] = [tuple(self.stack[-1:])]

    def do_tuple2(self, _: Any) -> None:
        self.stack[-2:] = [tuple(self.stack[-2:])]

    def do_tuple3(self, _: Any) -> None:
        self.stack[-3:] = [tuple(self.stack[-3:])]

    def do_append(self, _: Any) -> None:
        value = self.stack.pop()
        self._grow([value])

    def do_appends(self, _: Any) -> None:
        self._grow(self.since_mark())

    do_additems = do_appends

    def _grow(self, values: list[Any]) -> None:
        owner = self.stack[-1]
        (owner.items if isinstance(owner, Call) else owner).extend(values)

    def do_setitem(self, _: Any) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self.stack[-1].pairs.append((key, value))

    def do_setitems(self, _: Any) -> None:
        pairs = _paired(self.since_mark())
        self.stack[-1].pairs.extend(pairs)

    def do_global(self, argument: str) -> None:
        module, _, name = argument.partition(" ")
        self.stack.append(Name(module, name))

    def do_stack_global(self, _: Any) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self.stack.append(Name(str(module), str(name)))

    def do_reduce(self, _: Any) -> None:
        args, what = self.stack.pop(), self.stack.pop()
        self.stack.append(Call(what, args))

    do_newobj = do_reduce

    def do_newobj_ex(self, _: Any) -> None:
        named, args, what = self.stack.pop(), self.stack.pop(), self.stack.pop()
        self.stack.append(Call(what, (args, named)))

    def do_inst(self, argument: str) -> None:
        module, _, name = argument.partition(" ")
        self.stack.append(Call(Name(module, name), tuple(self.since_mark())))

    def do_obj(self, _: Any) -> None:
        what, *args = self.since_mark()
        self.stack.append(Call(what, tuple(args)))

    def do_build(self, _: Any) -> None:
        state = self.stack.pop()
        if isinstance(self.stack[-1], Call):
            self.stack[-1].state = state

    def do_persid(self, argument: str) -> None:
        self.stack.append(Persistent(argument))

    def do_binpersid(self, _: Any) -> None:
        self.stack.append(Persistent(self.stack.pop()))


CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}


def _paired(values: list[Any]) -> list[tuple[Any, Any]]:
    return list(zip(values[::2], values[1::2], strict=True))


def drawn(data: bytes) -> Any:
    """What a pickle would build; raises NotDrawn for anything that is not a whole one. Nothing of it is run."""
    return Drawing().draw(data)
