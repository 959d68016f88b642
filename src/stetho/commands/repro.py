"""`stetho repro`: the failing step of a case as a program of its own."""

from __future__ import annotations

from pathlib import Path

import click

from stetho import config
from stetho.commands.options import case_root


@click.command()
@click.argument("case", default="last")
@case_root
@click.option("-o", "--output", metavar="DIR", help="The folder to write (default: repro-CASE here).")
@click.option("--no-run", is_flag=True, help="Write it without trying it.")
@click.pass_context
def command(ctx: click.Context, case: str, case_root: str | None, output: str | None, no_run: bool) -> None:
    """Write a standalone folder that reproduces the step at which numbers stopped being finite.

    CASE is a case's id, number or path, or `last`. The folder holds `step.py`, which is nothing but torch calls,
    each with the line of yours that made it, and `tensors.pt`, the values the step began with. It needs torch
    and neither stetho nor your code nor your data. The program is run once, to see that it fails as the run did.

    Exit code: 0 written, and it fails as it did · 2 the case holds no such step · 3 written, but it does not.
    """
    from stetho import repro
    from stetho.case import open_case

    root = Path(case_root or config.load(Path.cwd()).case)
    found = open_case(root, case)
    folder = Path(output or f"repro-{found.id}")
    with found.open_ledger(read_only=True) as ledger:
        request = ledger.request()
    title = " ".join(request.command) if request else found.id
    made = repro.write(found.recordings / "base", folder, title)
    click.echo(f"{folder}: step.py, {made.operations} operations; tensors.pt")
    if no_run:
        return
    made = repro.verify(made)
    for line in made.output.splitlines()[-6:]:
        click.echo(f"  {line}")
    if made.verified is None:
        click.echo("not tried; run it with: python step.py")
    elif made.verified:
        click.echo("it fails as the run did")
    else:
        click.echo("it does not fail as the run did", err=True)
        ctx.exit(3)
