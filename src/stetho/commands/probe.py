"""`stetho probe`: the cheap evidence about a run, alive or dead, in seconds and read-only."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from stetho import config
from stetho.commands.options import Console, colour_wanted, formats, width
from stetho.errors import BadRequest

if TYPE_CHECKING:
    from stetho.bundles.writing import Made
    from stetho.probing import Report


@click.command()
@click.argument("directory", metavar="[DIR]", required=False)
@click.option("--pid", type=int, metavar="N", help="Look at this process and those it started.")
@click.option("--python", metavar="PATH", help="The interpreter or environment that the run uses.")
@click.option("-o", "--output", metavar="FILE", help="Write a bundle, too: what stetho why needs on another machine.")
@click.option("--size", metavar="SIZE", help="How large the bundle may be: 500K, 20M (default 20M).")
@click.option("--hide-users", is_flag=True, help="Leave names of users out of the bundle, as secrets always are.")
@click.option("--force", is_flag=True, help="Replace a bundle that is there already.")
@formats
@click.option("-q", "--quiet", is_flag=True, help="Print only what is worth a look.")
def command(
    directory: str | None,
    pid: int | None,
    python: str | None,
    output: str | None,
    size: str | None,
    hide_users: bool,
    force: bool,
    format_: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Look at a run from outside, in seconds, read-only: processes, kernel, limits, GPUs, disk, log.

    DIR is the run's directory (default: that of the process, else this one). Every line says what was seen; what
    could not be seen is said to be unknown, with the command that would show it. Secrets are left out. With -o, what
    the run left is read, too, and all of it goes into one file, for a colleague or another machine. Such a file in
    place of DIR shows what was seen when it was made.

    \b
      stetho probe runs/7
      stetho probe --pid 4711
      stetho probe runs/7 -o bundle.tgz     then, anywhere:  stetho why bundle.tgz

    Exit code: 0 looked, whatever was seen; 2 the request is bad.
    """
    from stetho.render.probe import render_report

    if output is None and (size or hide_users or force):
        raise BadRequest("--size, --hide-users and --force are for a bundle: name its file with -o")
    console, made = Console(quiet), None
    try:
        if output is None:
            report = earlier(directory) or seen(directory, pid, python, console)
        else:
            report, made = bundled(directory, pid, python, Path(output), size, hide_users, force, console)
    finally:
        console.clear()
    form = "json" if as_json else format_
    click.echo(render_report(report, form, width=width(), colour=colour_wanted(), brief=quiet), nl=False)
    if made is not None:
        click.echo(f"stetho: {told(made)}", err=True)


def earlier(directory: str | None) -> Report | None:
    """What was seen when a bundle was made, where one is given."""
    from stetho import probing

    if directory is None or probing.kind_of(directory) != "file":
        return None
    from stetho.bundles import reading

    return reading.read(Path(directory)).report if reading.is_bundle(Path(directory)) else None


def seen(directory: str | None, pid: int | None, python: str | None, console: Console) -> Report:
    """What the probes see now."""
    from stetho import catalogue, probing

    probing.refuse_bad(directory, pid, python)
    console.progress("looking at processes, kernel, limits, GPUs, disk and files")
    return probing.look(
        catalogue.load(("probes", "checks")),
        Path(directory) if directory else None,
        pid,
        Path(python) if python else None,
    )


def bundled(
    directory: str | None, pid: int | None, python: str | None, output: Path, size: str | None, hide_users: bool,
    force: bool, console: Console,
) -> tuple[Report, Made]:  # fmt: skip
    """What the probes see, and the bundle that it went into."""
    from stetho import catalogue, probing
    from stetho.bundles import writing

    most = config.size(size) if size else writing.SIZE
    writing.refuse(output, most, force)
    report = seen(directory, pid, python, console)
    if any(one.what == "folder" for _, one in probing.unknowns(report)):
        raise BadRequest(f"{report.folder} does not answer, as on a dead network disk, so it cannot be bundled")
    folder = Path(directory) if directory else Path(report.folder if pid is not None else ".")
    made = writing.write(
        folder, output, catalogue.load(), report, size=most, hide_users=hide_users, force=force,
        progress=console.progress,
    )  # fmt: skip
    return report, made


def told(made: Made) -> str:
    """What was written, in a line."""
    from stetho import amounts

    cut = sum(bool(one.text and one.cut) for one in made.manifest.artifacts)
    parts = [f"{amounts.plural(len(made.manifest.artifacts), 'artifact')} read"]
    parts += [f"{amounts.plural(cut, 'text')} cut"] if cut else []
    parts += [f"{len(made.manifest.left_out)} left out"] if made.manifest.left_out else []
    parts += [f"at most {made.manifest.points} points of each series"] if made.manifest.points else []
    return f"wrote {made.path}, {amounts.size(made.size)}: {', '.join(parts)}; go on with: stetho why {made.path}"
