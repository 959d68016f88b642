"""Options that several verbs share, and how results and progress are printed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def formats(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--format text|json|md` and its short form `--json`."""
    function = click.option("--json", "as_json", is_flag=True, help="Short for --format json.")(function)
    return click.option(
        "--format",
        "format_",
        type=click.Choice(["text", "json", "md"]),
        default="text",
        help="How to print the result.",
    )(function)


def case_root(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--case DIR`, where cases are kept."""
    return click.option("--case", "case_root", metavar="DIR", help="Where cases are kept (default .stetho).")(function)


def colour_wanted() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def width() -> int:
    return shutil.get_terminal_size((100, 24)).columns


class Console:
    """Progress on stderr: one line per experiment, and a line that renews itself on a terminal."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.live = not quiet and sys.stderr.isatty()
        self.open = False
        self.title = ""

    def show(self, line: str) -> None:
        self.clear()
        self.title = line
        if not self.quiet:
            click.echo(f" {line}", err=True)

    def progress(self, line: str) -> None:
        if self.live:
            space = shutil.get_terminal_size((80, 24)).columns - 1
            shown = "".join(c if c.isprintable() else "?" for c in f"   {line}")[:space]
            click.echo(f"\r\x1b[2K{shown}", err=True, nl=False)
            self.open = True

    def clear(self) -> None:
        if self.open:
            click.echo("\r\x1b[2K", err=True, nl=False)
            self.open = False
