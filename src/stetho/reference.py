"""Writes what is generated from the declarations: the help text and the reference pages in docs/.

`python -m stetho.reference` writes them, `--check` says which are stale.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from stetho import catalogue
from stetho.abilities import abilities
from stetho.facts import Fact, documentation
from stetho.render.explanation import explain
from stetho.render.page import Page, Prose, Rows, Section, first_sentence, markdown

PACKAGE = Path(__file__).parent
DOCS = PACKAGE.parent.parent / "docs"
FACTS_LEAD = """What evidence can hold: a fact says what was measured, never what it means. A field that is none, and
a fact that is absent, are unknown. Lines are those of the user's own code. `stetho cases evidence CASE` lists the facts
of a case and prints one in full; `from stetho.facts import LossCurve` gives its class to a check."""


def help_text() -> str:
    """What `stetho --help` prints, as click renders it."""
    from stetho.shell import group

    with click.Context(group, info_name="stetho", terminal_width=100) as context:
        return group.get_help(context) + "\n"


def facts_page() -> str:
    """Every kind of fact, family by family, with the meaning of each field."""
    text = ["# Facts", "", "Generated from the declarations; do not edit.", "", FACTS_LEAD, ""]
    for name in documentation.FAMILIES:
        module = documentation.family(name)
        sections = [section(kind) for kind in documentation.records(module)]
        page = Page(name.replace("_", " "), "family", first_sentence(module.__doc__), tuple(sections))
        text.append(markdown(page))
    return "\n".join(text).rstrip() + "\n"


def section(kind: type) -> Section:
    """One fact, or one record that facts are made of."""
    rows = tuple((f"`{field.name}`", field.kind, field.meaning) for field in documentation.documented(kind))
    title = f"{kind.fact} (`{kind.__name__}`)" if issubclass(kind, Fact) else f"`{kind.__name__}`"
    return Section(title, (Prose(first_sentence(kind.__doc__)), Rows(("field", "type", "meaning"), rows)))


def abilities_page(found: catalogue.Catalogue) -> str:
    """How far each cause can come, by its declaration."""
    lead = "By the declarations: what the claim gate can let a cause come to. How often it does is on the [scoreboard]"
    text = [
        "# What it can do",
        "",
        "Generated from the declarations; do not edit.",
        "",
        f"{lead}(../scoreboard.md).",
        "",
    ]
    text += ["| it can | number | causes |", "|---|---|---|"]
    for kind, causes in abilities(found).items():
        text.append(f"| {kind} | {len(causes)} | {' '.join(f'`{cause}`' for cause in causes)} |")
    return "\n".join(text) + "\n"


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
    made[DOCS / "reference" / "facts.md"] = facts_page()
    facts = (k for name in documentation.FAMILIES for k in documentation.records(documentation.family(name)))
    index.append(f"- [Facts](facts.md): {', '.join(f'`{k.fact}`' for k in facts if issubclass(k, Fact))}")
    made[DOCS / "reference" / "abilities.md"] = abilities_page(found)
    index.append("- [What it can do](abilities.md): how far each cause can come")
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
