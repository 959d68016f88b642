"""Differences between two command lines, option by option."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Words: TypeAlias = tuple[str, ...]
NUMBER = re.compile(r"-\d|-\.\d")
# An option, or an assignment as Hydra takes it.
NAMED = re.compile(r"-[^=]*|[\w.+~@/]+=")


@dataclass(frozen=True)
class Argument:
    """One difference: options of the command that fails, and what stood there when it worked."""

    start: int
    end: int
    """Which of the command's options they are."""
    now: Words
    then: Words
    kind: Literal["command"] = "command"
    order: int = 0


def options(command: Sequence[str]) -> list[Words]:
    """A command in parts that mean something by themselves: the program, an option with its values, any other word."""
    found: list[list[str]] = []
    for word in command:
        option = word.startswith("-") and not NUMBER.match(word)
        # What follows an option may be its value; one that has an equals sign has it already.
        open_ = bool(found) and found[-1][0].startswith("-") and "=" not in found[-1][0]
        if open_ and not option and (len(found[-1]) == 1 or not NAMED.match(word)):
            found[-1].append(word)
        else:
            found.append([word])
    return [tuple(part) for part in found]


def between(now: Sequence[str], then: Sequence[str]) -> list[Argument]:
    """What differs between two commands: options by their names, wherever they stand, other words by their order."""
    ours, theirs = options(now), options(then)
    mine, other = _by_name(ours), _by_name(theirs)
    both = mine.keys() & other.keys()
    found = [
        Argument(mine[name], mine[name] + 1, ours[mine[name]], theirs[other[name]])
        for name in both
        if ours[mine[name]] != theirs[other[name]]
    ]
    rest = [i for i in range(len(ours)) if i not in {mine[name] for name in both}]
    left = [theirs[i] for i in range(len(theirs)) if i not in {other[name] for name in both}]
    matched = difflib.SequenceMatcher(None, [ours[i] for i in rest], left, autojunk=False)
    for tag, a, b, c, d in matched.get_opcodes():
        if tag != "equal":
            place = rest[b] if b < len(rest) else len(ours)
            found += _apart([(i, ours[i]) for i in rest[a:b]], left[c:d], place)
    return sorted(found, key=lambda one: (one.start, one.end, one.order))


def _by_name(parts: Sequence[Words]) -> dict[str, int]:
    """Where each option stands that is there once; the program is one."""
    names = [_name(part) if place else "program" for place, part in enumerate(parts)]
    return {name: place for place, name in enumerate(names) if name and names.count(name) == 1}


def _name(part: Words) -> str:
    """What an option is called; a word without a name has none."""
    found = NAMED.match(part[0])
    return found[0].rstrip("=") if found else ""


def _apart(mine: list[tuple[int, Words]], other: list[Words], place: int) -> Iterator[Argument]:
    """Parts that only one of them has: a word that takes another's place with it, all else by itself."""
    if len(mine) == len(other) == 1 and not _name(mine[0][1]) and not _name(other[0]):
        yield Argument(mine[0][0], mine[0][0] + 1, mine[0][1], other[0])
        return
    yield from (Argument(i, i + 1, part, ()) for i, part in mine)
    yield from (Argument(place, place, (), part, order=i) for i, part in enumerate(other))


def undone(command: Sequence[str], arguments: Iterable[Argument]) -> Words:
    """The command with some of its options as they were when it worked."""
    parts = options(command)
    for one in sorted(arguments, key=lambda one: (one.start, one.end, one.order), reverse=True):
        parts[one.start : one.end] = [one.then] if one.then else []
    return tuple(word for part in parts for word in part)
