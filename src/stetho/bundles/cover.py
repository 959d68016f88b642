"""What is taken out of everything that a bundle holds: secrets always, names of users on request."""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from stetho.evidence import Json
from stetho.redaction import MARK, redact, secret_name

USER = "[user]"
# Accounts that name nobody.
NOBODY = frozenset({"root", "nobody", "user", "home", "ubuntu", "admin", "runner", "work"})
# How the inside of a private key begins, wherever a line of it was taken from.
_KEY_INSIDE = re.compile(r"\b(?:MII[A-Za-z0-9+/]{30,}|b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/]{10,})={0,2}")
# A text shorter than this is no line of a key, and would be taken out of words.
SHORTEST_KEY_LINE = 16


@dataclass(frozen=True)
class Cover:
    """What to hide. Numbers are never changed, nor are texts that hold nothing of it."""

    users: tuple[str, ...] | None = None
    """The names to hide in paths and addresses; None where users may be named."""
    key_lines: frozenset[str] = frozenset()
    """Lines that stand inside a private key in one of the files."""

    def text(self, text: str) -> str:
        """A text without what is to be hidden."""
        text = redact(text, homes=self.users is not None)
        if "MII" in text or "b3Bl" in text:
            text = _KEY_INSIDE.sub(MARK, text)
        for line in self.key_lines:
            text = text.replace(line, MARK)
        for name in self.users or ():
            text = _of_user(name).sub(USER, text) if name in text else text
        return text

    def path(self, path: str) -> str:
        """A path, part by part, so that what follows a secret is still a path."""
        parts = "/".join(self.text(part) for part in path.split("/"))
        return self.text(parts) if self.users is not None else parts

    def json(self, value: Json) -> Json:
        """A document without what is to be hidden; a setting is known by its name, too."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.json(one) for one in value]
        if isinstance(value, dict):
            covered = {self.text(key): self.json(one) for key, one in value.items()}
            name = value.get("key", value.get("name"))
            if isinstance(name, str) and isinstance(value.get("text"), str) and secret_name(name):
                covered |= {"text": MARK, **({"number": None} if "number" in value else {})}
            return covered
        return value


def _of_user(name: str) -> re.Pattern[str]:
    """A name where it is a user's: in a path, before a host, or said to be one."""
    word = re.escape(name)
    return re.compile(
        rf"(?<=[/~\\(]){word}(?=$|[/\\\s:;,'\")\]])|(?<![\w.-]){word}(?=@)"
        rf"|(?i:(?<=user=)|(?<=user: )|(?<=logname=)){word}\b"
    )


def users_of(folder: Path) -> tuple[str, ...]:
    """Whose names could stand in a folder's files: its owner's, the caller's, those in its own path."""
    found = {os.path.basename(os.path.expanduser("~"))}
    for number in (os.getuid(), _owner(folder)):
        try:
            found.add(pwd.getpwuid(number).pw_name)
        except KeyError:
            continue
    found |= set(re.findall(r"/(?:home|Users)/([^/\s]{1,64})", os.path.abspath(folder)))
    return tuple(sorted(name for name in found if len(name) > 1 and name not in NOBODY))


def _owner(folder: Path) -> int:
    try:
        return folder.stat().st_uid
    except OSError:
        return os.getuid()


def inside_keys(lines: Iterable[str]) -> frozenset[str]:
    """Lines of private keys as they can be found again in other texts."""
    return frozenset(line.strip() for line in lines if len(line.strip()) >= SHORTEST_KEY_LINE)
