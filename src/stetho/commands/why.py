"""`stetho why`: from a command, or what a dead run left, to a verdict."""

from __future__ import annotations

import os
import select
import shutil
import stat
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stetho import config
from stetho.commands.options import Console, case_root, colour_wanted, formats, width
from stetho.commands.running import Running, running_options
from stetho.errors import BadRequest, UnknownName

if TYPE_CHECKING:
    from stetho.case import Case
    from stetho.several import SeveralRuns
    from stetho.verdict import Verdict


class SplitAtDashes(click.Command):
    """Everything after `--` is the user's command and none of click's business."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["command"] = args[args.index("--") + 1 :] if "--" in args else None
        return super().parse_args(ctx, args[: args.index("--")] if "--" in args else args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return ["[OPTIONS]", "TARGET | -- COMMAND ARGS..."]


@click.command(cls=SplitAtDashes)
@click.argument("target", required=False)
@formats
@case_root
@click.option("-q", "--quiet", is_flag=True, help="Print the result only.")
@click.option("--symptom", metavar="TEXT", help="What you saw. It is looked for, and never taken as evidence.")
@click.option("--suspect", metavar="CAUSE", help="Put this cause to the test: supported, refuted or undecided.")
@click.option("--good", metavar="REF", help="A run that was fine: a case, commit, folder, file or command line.")
@click.option("--all", "all_causes", is_flag=True, help="Go on with the cure applied, until nothing more is wrong.")
@click.option("--no-experiments", is_flag=True, help="Observe and rank only; run no changed copy.")
@running_options
@click.pass_context
def command(
    ctx: click.Context,
    target: str | None,
    format_: str,
    as_json: bool,
    case_root: str | None,
    quiet: bool,
    symptom: str | None,
    suspect: str | None,
    good: str | None,
    all_causes: bool,
    no_experiments: bool,
    running: Running,
) -> None:
    """Find out why a training run fails, and prove it.

    Give the unmodified command after `--`; it runs in isolation, and your files stay as they are. Or give
    the log file of a dead run, a directory that holds one, - to read a log from standard input, a bundle that
    stetho probe -o wrote, or a case, such as the one that stetho run made: then nothing is run, and what was
    recorded is judged; only where stetho run has kept the state before a late NaN, experiments begin from there.

    With --good REF the command is compared with a run that was fine, and the smallest difference between the two
    that brings the failure is searched for by undoing parts of it.

    With --all a cause that is established stays cured, and what the run shows then is looked into in the same way,
    until it is clear, nothing more can be claimed, or the budget is spent.

    \b
      stetho why -- python train.py --lr 3e-4
      stetho why --all -- python train.py
      stetho why --suspect train/missing-zero-grad -- python train.py
      stetho why --good HEAD~5 -- python train.py
      stetho why run.log
      stetho why last

    Exit code: 0 nothing wrong, 1 a cause is established, 3 a problem without an established cause or the
    observer could not attach, 2 the request is bad, 130 interrupted (the case is kept).
    """
    from stetho import catalogue, post_mortem, suspicion, why
    from stetho.case import Request, writable_root
    from stetho.executors import choice

    given = ctx.meta["command"]
    if bool(target) == bool(given):
        raise BadRequest("give either a command after --, or a log, a run directory or -; see stetho why --help")
    if suspect is not None and not given:
        raise BadRequest("--suspect runs experiments, so it needs a command after --")
    if good is not None and not given:
        raise BadRequest("--good compares the run of a command with one that was fine, so it needs a command after --")
    if all_causes and (not given or no_experiments or suspect is not None):
        raise BadRequest("--all experiments on whatever is wrong, so it needs a command after --, and no single cause")
    settings = config.load(Path.cwd())
    console = Console(quiet)
    case = earlier_case(Path(case_root or settings.case), target) if target else None
    if case is not None:
        verdict = why.judge(
            case,
            experiments=settings.experiments and not no_experiments,
            budget=running.budget,
            fresh=running.fresh,
            show=console.show,
            progress=console.progress,
        )
        console.clear()
        return finish(ctx, verdict, "json" if as_json else format_)
    where = running.executor or settings.executor
    if given:
        refuse_missing_command(given[0])
        choice.refuse_missing(where, settings)
    root, moved = writable_root(Path(case_root or settings.case))
    if moved:
        click.echo(f"stetho: {moved}", err=True)
    request = Request(
        command=tuple(given or ()),
        cwd=os.getcwd(),
        seed=settings.seed if running.seed is None else running.seed,
        budget=running.budget or settings.budget,
        symptom=symptom,
        experiments=settings.experiments and not no_experiments,
        created=time.time(),
        limits=running.limits,
        isolation=running.isolation,
        executor=where,
        suspect=None if suspect is None else suspicion.named(suspect, catalogue.load()),
        good=good,
        all_causes=all_causes,
    )
    piped = None
    try:
        if given:
            piped = standard_input()
            verdict = why.begin(
                root, request, show=console.show, progress=console.progress, stdin=piped, fresh=running.fresh
            )
        else:
            several = post_mortem.judge(root, request, str(target), progress=console.progress)
            if len(several.runs) > 1:
                console.clear()
                return finish_several(ctx, several, "json" if as_json else format_)
            verdict = several.runs[0].verdict
    finally:
        console.clear()
        if piped is not None:
            piped.unlink(missing_ok=True)
    finish(ctx, verdict, "json" if as_json else format_)


def finish(ctx: click.Context, verdict: Verdict, form: str) -> None:
    from stetho.render import render_verdict

    click.echo(render_verdict(verdict, form, width=width(), colour=colour_wanted()), nl=False)
    ctx.exit(verdict.exit_code)


def finish_several(ctx: click.Context, several: SeveralRuns, form: str) -> None:
    from stetho.render.several import render_several

    click.echo(render_several(several, form, width=width()), nl=False)
    ctx.exit(several.exit_code)


def earlier_case(root: Path, target: str) -> Case | None:
    """The case that a target names by its folder, id or number; a file of that name goes first."""
    from stetho.case import LEDGER, open_case

    if os.path.exists(target) and not os.path.isfile(os.path.join(target, LEDGER)):
        return None
    try:
        return open_case(root, target)
    except UnknownName:
        return None


def refuse_missing_command(program: str) -> None:
    if shutil.which(program) is None:
        known = "it is not executable" if os.path.exists(program) else "it was not found"
        raise BadRequest(
            f"cannot run '{program}': {known}. Give the whole command after --, such as: -- python train.py"
        )


def standard_input() -> Path | None:
    """What was piped in, kept so that every run of the program reads the same. A terminal is not read from."""
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return None
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return None
    ready = stat.S_ISREG(mode) or (stat.S_ISFIFO(mode) and bool(select.select([0], [], [], 0.2)[0]))
    data = sys.stdin.buffer.read() if ready else b""
    if not data:
        return None
    with tempfile.NamedTemporaryFile(prefix="stetho-stdin-", delete=False, dir="/var/tmp") as file:
        file.write(data)
    return Path(file.name)
