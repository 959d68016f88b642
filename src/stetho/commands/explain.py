"""`stetho explain`: any cause, check, intervention, probe, reader or rule, from its own declaration."""

from __future__ import annotations

import click

from stetho.commands.options import colour_wanted, formats, width


@click.command()
@click.argument("name", required=False, metavar="ID")
@formats
def command(name: str | None, format_: str, as_json: bool) -> None:
    """Explain a cause, check, intervention, probe, reader or lint rule.

    Without an ID, lists all of them.
    """
    from stetho import catalogue
    from stetho.render.explanation import explain

    found = catalogue.load()
    chosen = "json" if as_json else format_
    if name is not None:
        click.echo(explain(found.find(name), chosen, width=width(), colour=colour_wanted()), nl=False)
    elif chosen == "json":
        import json

        click.echo(json.dumps({room: list(getattr(found, room)) for room in catalogue.KINDS}, indent=2))
    else:
        for room in catalogue.KINDS:
            click.echo(room)
            for declaration in getattr(found, room).values():
                first = declaration.doc.split("\n", 1)[0]
                click.echo(f"  {declaration.id:28} {first}")
