"""Whether a run failed only because it was kept apart, and the option that would let it through.

It is said when the error that ended the program is one that isolation makes, and never taken for the cause of the
user's failure: with the network closed, a failing connection says nothing of the program.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from stetho.experiment import Isolation
from stetho.facts import Crash

REFUSED = "failed in isolation: "
UNREACHED = re.compile(
    r"Network is unreachable|No route to host|Temporary failure in name resolution|Name or service not known|"
    r"Could not resolve host|Failed to resolve|NameResolutionError|Max retries exceeded with url|"
    r"couldn't connect to|Couldn't reach|Connection refused|Cannot assign requested address|"
    r"\[Errno (?:99|101|111|113|-2|-3|-5)\]|LocalEntryNotFoundError|OfflineModeIsEnabled"
)
NETWORK_ERRORS = frozenset(
    ("gaierror", "ConnectionError", "ConnectionRefusedError", "ConnectTimeout", "ConnectError", "NewConnectionError",
     "MaxRetryError", "URLError", "LocalEntryNotFoundError", "ClientConnectorError", "EndpointConnectionError",
     "NameResolutionError", "CommError"),
)  # fmt: skip
# A write that was refused, with the path as Python and as the shell's tools name it.
DENIED = re.compile(
    r"(?:Read-only file system|Permission denied|Operation not permitted|Value too large for defined data type)"
)
PATHS = re.compile(r"""['"‘]?(/[^'"’:\s]+)""")
# A user's overlay cannot rename folders that were there before, nor remove one that it lies on.
MOVED_FOLDER = re.compile(r"Invalid cross-device link|Device or resource busy|\[Errno 1[68]\]")
# Lines at the end of an output that a program without a traceback explains itself in.
LAST_LINES = 12


def explained(
    crash: Crash | None, output: Path, isolation: Isolation, overlay: bool, renamed: Sequence[tuple[str, str]] = ()
) -> str | None:
    """One line for the user, if the end of the run is one that isolation explains."""
    if crash is not None:
        error = f"{crash.exception}: {crash.message}".rstrip(": ")
        told, name = error, crash.exception
        where = f"{crash.where}, {_short(error)}"
    else:
        told, name = _last_lines(output), ""
        where = _short(next((line for line in reversed(told.splitlines()) if _any(line)), ""))
    if not isolation.network and (name in NETWORK_ERRORS or UNREACHED.search(told)):
        return f"{REFUSED}it could not reach the network ({where}); allow it with --allow-network"
    for path in _denied_paths(told, renamed):
        if not any(_inside(path, os.path.realpath(folder)) for folder in isolation.writes):
            folder = path if os.path.isdir(path) else os.path.dirname(path)
            return (
                f"{REFUSED}{path} could not be written there ({where}); let it really be written with "
                f"--allow-write {folder}"
            )
    if overlay and MOVED_FOLDER.search(told):
        return (
            f"{REFUSED}a folder could not be moved or removed in an overlay ({where}); run it in a copy of the "
            "project with --in-copy"
        )
    return None


def _any(line: str) -> bool:
    return bool(UNREACHED.search(line) or DENIED.search(line) or MOVED_FOLDER.search(line))


def _denied_paths(told: str, renamed: Sequence[tuple[str, str]]) -> list[str]:
    """Paths whose writing was refused although the user may write them: what is refused anyhow is no news."""
    found = []
    for line in told.splitlines():
        if DENIED.search(line):
            found += [_users(path, renamed) for path in PATHS.findall(line)]
    return [path for path in found if _writable(path)]


def _users(path: str, renamed: Sequence[tuple[str, str]]) -> str:
    return next((own + path[len(copy) :] for copy, own in renamed if _inside(path, copy)), path)


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _writable(path: str) -> bool:
    """Whether the user could write there in earnest: the path itself or, if it is not there, where it would be."""
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return os.access(path, os.W_OK)


def _last_lines(output: Path) -> str:
    try:
        with output.open("rb") as handle:
            handle.seek(max(0, output.stat().st_size - 16_384))
            text = handle.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-LAST_LINES:])


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:157] + "..."
