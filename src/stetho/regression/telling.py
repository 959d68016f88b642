"""Differences in words: where each stands, and what was changed into what."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace

from stetho.evidence import Place
from stetho.facts import LocatedDifference
from stetho.redaction import redact
from stetho.regression.arguments import Argument
from stetho.regression.pieces import Piece, finer, undone
from stetho.regression.reference import Files, on_disk
from stetho.regression.state import Difference, text_of
from stetho.source.code import lines_of

LONGEST = 120
KEPT = 2000
LEAST = 6
# Where the name of a value begins, going back from the value.
BEFORE = re.compile(r"[\s({\[,;]*([^({\[,;]*)$")
AFTER = re.compile(r"\A[\w.]*")


def located(found: Sequence[Difference], now: Files, cwd: str) -> tuple[LocatedDifference, ...]:
    """Every difference as it is put on record."""
    options = [_argument(one) for one in found if isinstance(one, Argument)]
    whole = on_lines([one for one in found if isinstance(one, Piece)], now)
    return (*options, *(_piece(one, now, cwd) for one in sorted(whole, key=lambda one: (one.file, one.start))))


def narrow(one: Piece) -> Piece:
    """The same difference without what is the same on both sides of it."""
    found = finer(one)
    return found[0] if len(found) == 1 else one


def on_lines(found: Sequence[Piece], now: Files) -> list[Piece]:
    """Several words of one line as that line: by themselves they would say nothing."""
    lines: dict[tuple[str, int], list[Piece]] = {}
    for one in found:
        lines.setdefault((one.file, one.line), []).append(one)
    return [own[0] if len(own) == 1 else _line(own, _text(own[0], now)) for own in lines.values()]


def _line(own: Sequence[Piece], text: str) -> Piece:
    start = text.rfind("\n", 0, own[0].start) + 1
    last = text.find("\n", max(one.end for one in own))
    end = len(text) if last < 0 else last
    shifted = [replace(one, start=one.start - start, end=one.end - start) for one in own]
    now = text[start:end]
    return replace(own[0], size="line", start=start, end=end, now=now, then=undone(now, shifted))


def _text(one: Piece, now: Files) -> str:
    return text_of(now[one.file] if one.file in now else on_disk(one.file)) or ""


def _argument(one: Argument) -> LocatedDifference:
    then, now = (redact(shlex.join(words)) for words in (one.then, one.now))
    told = f"{then} → {now}" if then and now else f"{now} added" if now else f"{then} removed"
    undo = f"give {then} again" if then else f"leave {now} out"
    return LocatedDifference("command", f"command line: {told}", then, now, undo)


def _piece(one: Piece, now: Files, cwd: str) -> LocatedDifference:
    one = narrow(one)
    name = os.path.relpath(one.file, cwd)
    if one.then is None or one.now is None:
        told, undo = ("is new", "remove") if one.then is None else ("is gone", "bring back")
        return LocatedDifference(one.kind, f"{name} {told}", "", "", f"{undo} {name}", Place(name))
    if one.size == "file":
        told = f"{name} holds something else"
        return LocatedDifference(one.kind, told, "", "", f"bring back {name} as it was", Place(name))
    then, ours = (redact((text or "")[:KEPT]) for text in (one.then, one.now))
    place = Place(name, one.line)
    told = f"{place} {redact(change(_text(one, now), one))}"
    return LocatedDifference(one.kind, told, then, ours, f"undo {told}", place)


def change(text: str, one: Piece) -> str:
    """What was changed into what: a value with its name, lines that came or went, or how many."""
    then, now = one.then or "", one.now or ""
    if "\n" not in then.rstrip("\n") and "\n" not in now.rstrip("\n"):
        if then.strip() and now.strip():
            return _value(text, one)
        if len(then.strip()) + len(now.strip()) < LEAST:
            # A letter or two that came or went say something only in their line.
            return _whole(text, one)
        return f"{bare(now)} added" if now.strip() else f"{bare(then)} removed"
    old, new = (len(lines_of(side)) for side in (then, now))
    if not then.strip() or not now.strip():
        return f"{max(old, new)} lines {'added' if now.strip() else 'removed'}: {shortened(now.strip() or then)}"
    return f"{old} lines changed into {new}: {shortened(now)}"


def _value(text: str, one: Piece) -> str:
    """A value and its name, as `lr = 3e-4 → 3e-2`; one without a name in its line."""
    then, now = one.then or "", one.now or ""
    found = BEFORE.search(text[text.rfind("\n", 0, one.start) + 1 : one.start])
    name = (found[1] if found else "").lstrip()
    tail = "" if now.endswith("\n") else AFTER.findall(text[one.end :])[0]
    if not name and "\n" not in now and text[one.end : one.end + 1] not in ("", "\n"):
        return _whole(text, one)
    return f"{shortened(name + then + tail)} → {shortened(now + tail)}"


def _whole(text: str, one: Piece) -> str:
    line = _line([one], text)
    return f"{shortened(line.then or '')} → {shortened(line.now or '')}"


def bare(text: str) -> str:
    """A text without the comma that parts it from what stands beside it."""
    return shortened(text.strip(", \n") or text)


def shortened(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"
