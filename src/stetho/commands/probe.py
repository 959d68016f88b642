"""`stetho probe`: the cheap evidence about a run, alive or dead, in seconds and read-only."""

from __future__ import annotations

from pathlib import Path

import click

from stetho.commands.options import Console, colour_wanted, formats, width


@click.command()
@click.argument("directory", metavar="[DIR]", required=False)
@click.option("--pid", type=int, metavar="N", help="Look at this process and those it started.")
@click.option("--python", metavar="PATH", help="The interpreter or environment that the run uses.")
@formats
@click.option("-q", "--quiet", is_flag=True, help="Print only what is worth a look.")
def command(
    directory: str | None, pid: int | None, python: str | None, format_: str, as_json: bool, quiet: bool
) -> None:
    """Look at a run from outside, in seconds, read-only: processes, kernel, limits, GPUs, disk, log.

    DIR is the run's directory (default: that of the process, else this one). Every line says what was seen; what
    could not be seen is said to be unknown, with the command that would show it. Secrets are left out.

    \b
      stetho probe runs/7
      stetho probe --pid 4711

    Exit code: 0 looked, whatever was seen; 2 the request is bad.
    """
    from stetho import catalogue, probing
    from stetho.render.probe import render_report

    probing.refuse_bad(directory, pid, python)
    console = Console(quiet)
    console.progress("looking at processes, kernel, limits, GPUs, disk and files")
    try:
        report = probing.look(
            catalogue.load(("probes", "checks")),
            Path(directory) if directory else None,
            pid,
            Path(python) if python else None,
        )
    finally:
        console.clear()
    form = "json" if as_json else format_
    click.echo(render_report(report, form, width=width(), colour=colour_wanted(), brief=quiet), nl=False)
