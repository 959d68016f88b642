"""Every exception stetho raises on purpose; the command line prints each as one line, once."""

from __future__ import annotations


class StethoError(Exception):
    """Something stetho was asked for cannot be done; the message says what and what to do instead."""

    exit_code = 2


class BadRequest(StethoError):
    """The command line or its input is wrong: a missing directory, an unknown name, a bad duration."""


class UnknownName(BadRequest):
    """A cause, check, intervention or case of that name does not exist."""

    def __init__(self, what: str, name: str, near: list[str]) -> None:
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        super().__init__(f"there is no {what} '{name}'.{hint}")


class LedgerError(StethoError):
    """A case file cannot be read or written."""


class DeclarationError(StethoError):
    """A check, cause, intervention, probe, reader or rule is declared wrongly; the message names the file."""


class ScratchError(StethoError):
    """The command cannot be given a scratch copy to run in."""


class WorkerLost(StethoError):
    """The machines that a run was sent to died, or none was free; nothing is wrong with the request."""

    exit_code = 3


class Interrupted(StethoError):
    """The user pressed Ctrl-C; the case is kept."""

    exit_code = 130
