"""Writes what is generated from the declarations: the help text and the reference pages in docs/.

`python -m stetho.reference` writes them, `--check` says which are stale.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from stetho import catalogue
from stetho.render.explanation import explain

PACKAGE = Path(__file__).parent
DOCS = PACKAGE.parent.parent / "docs"


def help_text() -> str:
    """What `stetho --help` prints, as click renders it."""
    from stetho.shell import group

    with click.Context(group, info_name="stetho", terminal_width=100) as context:
        return group.get_help(context) + "\n"


def pages() -> dict[Path, str]:
    """Every generated file with its text."""
    found = catalogue.load()
    made = {PACKAGE / "help.txt": help_text()}
    index = ["# Reference", "", "Generated from the declarations; do not edit.", ""]
    for room in catalogue.KINDS:
        title = room.capitalize()
        declared = list(getattr(found, room).values())
        text = [f"# {title}", "", "Generated from the declarations; do not edit.", ""]
        text += [explain(d, "md").rstrip() + "\n" for d in declared]
        made[DOCS / "reference" / f"{room}.md"] = "\n".join(text).rstrip() + "\n"
        index.append(f"- [{title}]({room}.md): {', '.join(f'`{d.id}`' for d in declared)}")
    made[DOCS / "reference" / "README.md"] = "\n".join(index) + "\n"
    return made


def stale() -> list[Path]:
    """Generated files that are missing or no longer what the declarations say."""
    return [p for p, text in pages().items() if not p.exists() or p.read_text(encoding="utf-8") != text]


def main() -> None:
    if "--check" in sys.argv:
        old = stale()
        for path in old:
            click.echo(f"stale: {path.relative_to(PACKAGE.parent.parent)} (run make docs)", err=True)
        sys.exit(1 if old else 0)
    for path, text in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
