"""Blocks of text laid out for a terminal; rich does the widths and colours, and sees no markup."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from stetho.render.inert import inert

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    Block: TypeAlias = Group | Table | Text

# Longer lines are hard to follow, however wide the terminal is.
WIDEST = 120
NARROWEST = 40
EVIDENCE = "cyan"
QUIET = "bright_black"
MOST = {"fit": 34, "right": 8, "some": 24, "cites": 12}
"""How wide a kind of column may become; each is as narrow as its text allows."""
# A number is not torn from its unit: the space between them is hidden from rich while it wraps.
_UNIT = re.compile(r"(?<=\d) (?=%|s\b)")
_TIED = "\ue000"


def draw(blocks: Sequence[Block], *, width: int | None, colour: bool) -> str:
    """The blocks one under the other with an empty line between them."""
    from rich.console import Console
    from rich.padding import Padding

    columns = width or min(shutil.get_terminal_size((100, 24)).columns, WIDEST)
    out = io.StringIO()
    console = Console(
        file=out,
        width=max(columns, NARROWEST),
        color_system="standard" if colour else None,
        force_terminal=colour,
        no_color=not colour,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    for number, block in enumerate(blocks):
        if number:
            console.print()
        console.print(Padding(block, (0, 0, 0, 1)))
    return "\n".join(line.rstrip() for line in out.getvalue().replace(_TIED, " ").split("\n"))


def words(*parts: str | tuple[str, str]) -> Text:
    """A text put together from plain parts and (part, style) pairs; nothing in it is interpreted."""
    from rich.text import Text

    text = Text(overflow="fold")
    for part in parts:
        plain, style = (part, "") if isinstance(part, str) else part
        text.append(_UNIT.sub(_TIED, inert(plain)), style)
    return text


def ids(evidence: Sequence[str]) -> Text:
    return words((" ".join(evidence), EVIDENCE))


def grid(*columns: str) -> Table:
    """A table without lines: `rest` takes what the others leave, and every column wraps at its own edge."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0), pad_edge=False, expand=True)
    for column in columns:
        if column == "rest":
            table.add_column(ratio=1, overflow="fold")
        else:
            justify: Literal["left", "right"] = "right" if column in ("right", "cites") else "left"
            table.add_column(justify=justify, overflow="fold", max_width=MOST[column])
    return table
