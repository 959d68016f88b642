"""An explanation's page: a title, a lead and sections, as terminal text or as the reference's Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from stetho.render.inert import inert
from stetho.render.terminal import QUIET, draw, grid, words

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


@dataclass(frozen=True)
class Prose:
    """Paragraphs, in the Markdown of the docstring they come from."""

    text: str


@dataclass(frozen=True)
class Items:
    """A list of short texts."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class Rows:
    """A small table."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Body: TypeAlias = Prose | Items | Rows


@dataclass(frozen=True)
class Section:
    """A heading and what is under it."""

    title: str
    bodies: tuple[Body, ...]


@dataclass(frozen=True)
class Page:
    """Everything a declaration says about itself, in reading order."""

    id: str
    kind: str
    lead: str
    sections: tuple[Section, ...]


def split(doc: str) -> tuple[str, tuple[Section, ...]]:
    """A docstring's lead, and its `## ...` sections."""
    lead, *rest = re.split(r"(?m)^## +", doc.strip())
    parts = [part.partition("\n") for part in rest]
    return lead.strip(), tuple(Section(title.strip(), (Prose(text.strip()),)) for title, _, text in parts)


def section(title: str, *bodies: Body) -> tuple[Section, ...]:
    """A section, or none when it would be empty."""
    filled = tuple(body for body in bodies if _filled(body))
    return (Section(title, filled),) if filled else ()


def paragraphs(text: str) -> list[tuple[str, bool]]:
    """The paragraphs of a docstring, and for each whether its lines may be joined and wrapped anew."""
    found: list[tuple[str, bool]] = []
    for part in re.split(r"\n[ \t]*\n", text.strip("\n")):
        lines = part.split("\n")
        found.append((part, not any(re.match(r"\s|[-*|>]|```|\d+[.)] ", line) for line in lines)))
    return found


def first_sentence(doc: str | None) -> str:
    """The first paragraph of a docstring on one line."""
    return " ".join((doc or "").strip().split("\n\n")[0].split())


def markdown(page: Page) -> str:
    """The reference page. Its text is the project's own, so its Markdown is kept."""
    parts = [f"# {page.id}", f"*{page.kind}*", page.lead]
    for section in page.sections:
        parts += [f"## {section.title}", *(_markdown(body) for body in section.bodies)]
    return "\n\n".join(part for part in parts if part) + "\n"


def text(page: Page, *, width: int | None, colour: bool) -> str:
    """The page for a terminal."""
    blocks: list[Table | Text] = [words((page.id, "bold"), (f"  {page.kind}", QUIET)), *_prose(page.lead)]
    for section in page.sections:
        bodies = [block for body in section.bodies for block in _blocks(body)]
        first = grid("rest")
        first.add_row(words((section.title, "bold")))
        first.add_row(bodies[0] if bodies else "")
        blocks += [first, *bodies[1:]]
    return draw(blocks, width=width, colour=colour)


def _markdown(body: Body) -> str:
    if isinstance(body, Prose):
        return body.text
    if isinstance(body, Items):
        return "\n".join(f"- {item}" for item in body.texts)
    lines = [body.header, tuple("---" for _ in body.header), *body.rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _blocks(body: Body) -> Iterator[Table | Text]:
    if isinstance(body, Prose):
        yield from _prose(body.text)
    elif isinstance(body, Items):
        table = grid("fit", "rest")
        for item in body.texts:
            table.add_row("-", words(_bare(item)))
        yield table
    else:
        table = grid("fit", *("fit" for _ in body.header[1:-1]), "rest")
        for number, row in enumerate((body.header, *body.rows)):
            table.add_row(*(words((_bare(cell), "" if number else QUIET)) for cell in row))
        yield table


def _prose(doc: str) -> Iterator[Table | Text]:
    """The paragraphs of a docstring, wrapped anew unless their line breaks mean something."""
    for part, may_wrap in paragraphs(doc):
        yield words(_bare(" ".join(part.split()) if may_wrap else inert(part)))


def _bare(markup: str) -> str:
    """Inline code without its backticks, which say nothing in a terminal."""
    return re.sub(r"`([^`\n]+)`", r"\1", markup)


def _filled(body: Body) -> bool:
    content: str | Sequence[object] = (
        body.text if isinstance(body, Prose) else body.texts if isinstance(body, Items) else body.rows
    )
    return bool(content)
