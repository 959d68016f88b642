"""`stetho run`: the command for real, observed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import click

from stetho import config
from stetho.alarms import KINDS
from stetho.commands.options import Console, case_root, width
from stetho.commands.why import SplitAtDashes, refuse_missing_command
from stetho.errors import BadRequest


class CommandAfterDashes(SplitAtDashes):
    """Takes nothing but options before `--`."""

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return ["[OPTIONS]", "-- COMMAND ARGS..."]


def alarms(ctx: click.Context, parameter: click.Parameter, value: str | None) -> frozenset[str]:
    """The kinds in `nan,stall`."""
    chosen = frozenset(word.strip() for word in value.split(",")) if value else frozenset()
    unknown = sorted(chosen.difference(KINDS))
    if unknown:
        raise BadRequest(f"--stop-on knows {', '.join(KINDS)}, and not '{unknown[0]}'")
    return chosen


@click.command(cls=CommandAfterDashes)
@click.option("--stop-on", metavar="ALARMS", callback=alarms, help=f"End the program at an alarm: {','.join(KINDS)}.")
@click.option(
    "--stall-after",
    metavar="TIME",
    help="Warn when no step came for so long: 90s, 10m, 1h (default: ten times the longest wait so far, and at "
    "least 2m, or 30m while the program computes).",
)
@case_root
@click.option("-q", "--quiet", is_flag=True, help="No status line and no summary; alarms are still printed.")
@click.option("--no-ring", is_flag=True, help="Keep no recent batches and states to go back to after a late failure.")
@click.option("--attach", metavar="CASE", help="Follow a run that is being recorded: its case, or a recording.")
@click.option(
    "--install-hook", is_flag=False, flag_value="python", metavar="[PYTHON]",
    help="Let the observer into a Python that ignores PYTHONPATH, by a .pth file.",
)  # fmt: skip
@click.option("--remove-hook", is_flag=False, flag_value="python", metavar="[PYTHON]", help="Take it out again.")
@click.pass_context
def command(
    ctx: click.Context,
    stop_on: frozenset[str],
    stall_after: str | None,
    case_root: str | None,
    quiet: bool,
    no_ring: bool,
    attach: str | None,
    install_hook: str | None,
    remove_hook: str | None,
) -> None:
    """Run a command for real, observed: record, warn at once, change nothing.

    The program gets its terminal, files, environment and signals as it would without stetho, and its output
    is passed through as it is. On a terminal the last line shows how it goes. A NaN, a loss that diverges and
    a stall are said at once. What was recorded is a case that stetho why goes on with.

    \b
      stetho run -- python train.py --lr 3e-4
      stetho run --stop-on nan,stall -- torchrun --nproc-per-node 2 train.py

    Exit code: the command's own, 128 + n when signal n ended it (143 after --stop-on, unless the program
    catches SIGTERM); 2 when there is nothing that can be run.
    """
    given = ctx.meta["command"]
    if install_hook or remove_hook:
        return change_hook(install_hook, remove_hook)
    if attach is not None:
        return follow(Path(case_root or config.load(Path.cwd()).case), attach)
    if not given:
        raise BadRequest("give the command after --, as in: stetho run -- python train.py")
    refuse_missing_command(given[0])
    settings = config.load(Path.cwd())
    limit = config.seconds(stall_after) if stall_after else None

    from stetho.case import Request, writable_root
    from stetho.run import Wishes, run

    root, moved = writable_root(Path(case_root or settings.case))
    if moved:
        click.echo(f"stetho: {moved}", err=True)
    request = Request(tuple(given), os.getcwd(), None, settings.budget, None, False, time.time())
    ctx.exit(run(root, request, Wishes(stop_on, limit, quiet, None if no_ring else {})))


def follow(root: Path, name: str) -> None:
    """Show a run that another stetho records, until it is over."""
    from stetho import follow

    console = Console(quiet=False)
    folder = follow.recording_of(root, name)
    try:
        follow.follow(folder, show=console.show, progress=console.progress, width=width() - 4)
    except KeyboardInterrupt:
        return  # the user has seen enough; the run goes on
    finally:
        console.clear()


def change_hook(install_hook: str | None, remove_hook: str | None) -> None:
    from stetho import hook

    if install_hook:
        click.echo(f"installed {hook.install(install_hook)}; take it out with: stetho run --remove-hook {install_hook}")
    if remove_hook:
        gone = hook.remove(remove_hook)
        click.echo(f"removed {gone}" if gone else f"there was no hook in {remove_hook}")
