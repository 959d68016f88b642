"""`stetho try`: one named change, or somebody's patch, put to the test by hand."""

from __future__ import annotations

import os
import time
from pathlib import Path

import click

from stetho import config
from stetho.commands.options import Console, case_root, formats, width
from stetho.commands.running import Running, running_options
from stetho.commands.why import SplitAtDashes, refuse_missing_command, standard_input
from stetho.errors import BadRequest


class NamesAndCommand(SplitAtDashes):
    """Names of changes before `--`, the user's command behind it."""

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return ["[OPTIONS]", "NAME[=VALUE]... -- COMMAND ARGS..."]


@click.command("try", cls=NamesAndCommand)
@click.argument("names", nargs=-1)
@click.option("--list", "listing", is_flag=True, help="Show every change that can be made, and stop.")
@click.option("--patch", "patches", multiple=True, type=click.Path(path_type=Path), metavar="F.diff",
              help="Try this diff; may be given several times.")  # fmt: skip
@click.option("--against", "trees", multiple=True, type=click.Path(path_type=Path), metavar="DIR",
              help="Try this edited copy of the tree; may be given several times.")  # fmt: skip
@formats
@case_root
@click.option("-q", "--quiet", is_flag=True, help="Print the result only.")
@click.option("--seeds", type=click.IntRange(1), help="Seeds to try each change on (default: as many as noise asks).")
@running_options
@click.pass_context
def command(
    ctx: click.Context,
    names: tuple[str, ...],
    listing: bool,
    patches: tuple[Path, ...],
    trees: tuple[Path, ...],
    format_: str,
    as_json: bool,
    case_root: str | None,
    quiet: bool,
    seeds: int | None,
    running: Running,
) -> None:
    """Run a command as it is and under one change at a time, and say what the change did.

    NAME is an intervention, with its value if it takes one. Each is tried alone, on the same seed as the base;
    a change that was not really made is said to be not applied. With --patch or --against the change is somebody's
    edit. Everything runs in a scratch: nothing of yours is written.

    \b
      stetho try lr=x0.1 one-batch -- python train.py
      stetho try --patch fix.diff -- python train.py
      stetho try --list

    Exit code: 0 done, 3 not applied or undecided, 2 the request is bad, 130 interrupted (the case is kept).
    """
    from stetho.executors import choice
    from stetho.idea import ideas_from
    from stetho.render.listing import listed

    form = "json" if as_json else format_
    if listing:
        click.echo(listed(form), nl=False)
        return
    given = ctx.meta["command"]
    if not given:
        raise BadRequest("give the command after --, such as: stetho try lr=0 -- python train.py")
    if not (names or patches or trees):
        raise BadRequest("give a change to try, a --patch or --against; stetho try --list shows the changes")
    settings = config.load(Path.cwd())
    where = running.executor or settings.executor
    refuse_missing_command(given[0])
    choice.refuse_missing(where, settings)
    ideas = ideas_from(names, patches, trees, os.getcwd())

    from stetho import attempt, catalogue
    from stetho.case import Request, new_case, writable_root
    from stetho.inquiry import Inquiry
    from stetho.render.attempt import render_attempts
    from stetho.why import executor_of

    root, moved = writable_root(Path(case_root or settings.case))
    if moved:
        click.echo(f"stetho: {moved}", err=True)
    request = Request(
        command=tuple(given),
        cwd=os.getcwd(),
        seed=settings.seed if running.seed is None else running.seed,
        budget=running.budget or settings.budget,
        symptom=None,
        experiments=True,
        created=time.time(),
        limits=running.limits,
        isolation=running.isolation,
        executor=where,
        verb="try",
    )
    console, piped = Console(quiet), standard_input()
    try:
        case = new_case(root, request)
        with case.open_ledger() as ledger:
            # How fast a run was at another time says little about how fast it is now.
            about_time = any(idea.intervention.alters == "time" for idea in ideas)
            execute = executor_of(request, case, running.fresh or about_time)
            inquiry = Inquiry(case, ledger, request, catalogue.load(), console.show, console.progress, piped, execute)
            found = attempt.attempt(inquiry, ideas, seeds=seeds)
    finally:
        console.clear()
        if piped is not None:
            piped.unlink(missing_ok=True)
    click.echo(render_attempts(found, form, width()), nl=False)
    ctx.exit(found.exit_code)
