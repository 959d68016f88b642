"""`stetho why`: from a command, or what a dead run left, to a verdict."""

from __future__ import annotations

import os
import select
import shutil
import stat
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stetho import config
from stetho.commands.options import Console, case_root, colour_wanted, formats, width
from stetho.commands.running import Running, running_options
from stetho.errors import BadRequest, UnknownName

if TYPE_CHECKING:
    from stetho.case import Case, Request
    from stetho.experiment import ExecutorName
    from stetho.several import SeveralRuns
    from stetho.verdict import Verdict


class SplitAtDashes(click.Command):
    """Everything after `--` is the user's command and none of click's business."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["command"] = args[args.index("--") + 1 :] if "--" in args else None
        return super().parse_args(ctx, args[: args.index("--")] if "--" in args else args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return ["[OPTIONS]", "TARGET | -- COMMAND ARGS..."]


@dataclass(frozen=True)
class Asked:
    """What the command line asks for, apart from how it is printed."""

    target: str | None
    command: list[str] | None
    symptom: str | None
    suspect: str | None
    good: str | None
    all_causes: bool
    no_experiments: bool
    running: Running


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
    asked = Asked(target, ctx.meta["command"], symptom, suspect, good, all_causes, no_experiments, running)
    refuse_what_does_not_fit(asked)
    settings, console = config.load(Path.cwd()), Console(quiet)
    form, where = "json" if as_json else format_, Path(case_root or settings.case)
    case = earlier_case(where, target) if target else None
    if case is not None:
        return finish(ctx, judge_again(case, asked, settings, console), form)
    executor = running.executor or settings.executor
    if asked.command:
        refuse_missing(asked.command[0], executor, settings)
    root = root_of_cases(where)
    request = request_for(asked, settings, executor)
    if asked.command:
        return finish(ctx, run_and_judge(root, request, console, running.fresh), form)
    several = judge_what_is_left(root, request, str(target), console)
    if len(several.runs) > 1:
        return finish_several(ctx, several, form)
    finish(ctx, several.runs[0].verdict, form)


def refuse_what_does_not_fit(asked: Asked) -> None:
    """Options that need a command, or that exclude each other."""
    if bool(asked.target) == bool(asked.command):
        raise BadRequest("give either a command after --, or a log, a run directory or -; see stetho why --help")
    if asked.suspect is not None and not asked.command:
        raise BadRequest("--suspect runs experiments, so it needs a command after --")
    if asked.good is not None and not asked.command:
        raise BadRequest("--good compares the run of a command with one that was fine, so it needs a command after --")
    if asked.all_causes and (not asked.command or asked.no_experiments or asked.suspect is not None):
        raise BadRequest("--all experiments on whatever is wrong, so it needs a command after --, and no single cause")


def request_for(asked: Asked, settings: config.Config, executor: ExecutorName) -> Request:
    """What a case keeps of what was asked, with the settings where the command line says nothing."""
    from stetho import catalogue, suspicion
    from stetho.case import Request

    running = asked.running
    return Request(
        command=tuple(asked.command or ()),
        cwd=os.getcwd(),
        seed=settings.seed if running.seed is None else running.seed,
        budget=running.budget or settings.budget,
        symptom=asked.symptom,
        experiments=settings.experiments and not asked.no_experiments,
        created=time.time(),
        limits=running.limits,
        isolation=running.isolation,
        executor=executor,
        suspect=None if asked.suspect is None else suspicion.named(asked.suspect, catalogue.load()),
        good=asked.good,
        all_causes=asked.all_causes,
    )


def root_of_cases(wanted: Path) -> Path:
    """Where cases are kept, which is said when it is not where it should be."""
    from stetho.case import writable_root

    root, moved = writable_root(wanted)
    if moved:
        click.echo(f"stetho: {moved}", err=True)
    return root


def judge_again(case: Case, asked: Asked, settings: config.Config, console: Console) -> Verdict:
    """The verdict on what an earlier case has recorded."""
    from stetho import why

    verdict = why.judge(
        case,
        experiments=settings.experiments and not asked.no_experiments,
        budget=asked.running.budget,
        fresh=asked.running.fresh,
        show=console.show,
        progress=console.progress,
    )
    console.clear()
    return verdict


def run_and_judge(root: Path, request: Request, console: Console, fresh: bool) -> Verdict:
    """The verdict on a command, every run of which reads the same standard input."""
    from stetho import why

    piped = None
    try:
        piped = standard_input()
        return why.begin(root, request, show=console.show, progress=console.progress, stdin=piped, fresh=fresh)
    finally:
        console.clear()
        if piped is not None:
            piped.unlink(missing_ok=True)


def judge_what_is_left(root: Path, request: Request, target: str, console: Console) -> SeveralRuns:
    """The verdicts on what dead runs have left."""
    from stetho import post_mortem

    try:
        return post_mortem.judge(root, request, target, progress=console.progress)
    finally:
        console.clear()


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


def refuse_missing(program: str, executor: ExecutorName, settings: config.Config) -> None:
    """What a command needs before anything is made for it: its program, and a place to run."""
    from stetho.executors import choice

    refuse_missing_command(program)
    choice.refuse_missing(executor, settings)


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
