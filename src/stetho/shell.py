"""The click side of the command line: lazily loaded verbs, and one place where errors become one line."""

from __future__ import annotations

import importlib
import sys
from keyword import iskeyword

import click

from stetho import __version__
from stetho.cli import VERBS
from stetho.errors import StethoError


class Verbs(click.Group):
    """A group that imports a verb's module only when that verb is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        # A verb that is a word of Python's has a module with a line under it.
        module = importlib.import_module(f"stetho.commands.{cmd_name}{'_' * iskeyword(cmd_name)}")
        command: click.Command = module.command
        return command


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog='Shell completion: eval "$(_STETHO_COMPLETE=bash_source stetho)" (zsh_source, fish_source). '
    "Each verb has its own --help.",
)
@click.version_option(__version__, prog_name="stetho")
def group() -> None:
    """stetho finds out why a training run fails, and proves it.

    It runs your unmodified command under observation, ranks named causes, runs the cheapest experiment that
    tells them apart, and claims a cause only when the evidence stacks up. Your files stay as they are.
    """


def run() -> None:
    """Run the command line; a mistake of the user's is one line and exit code 2, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # Programs print any bytes; showing them must not fail on a terminal that cannot.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = group(standalone_mode=False, prog_name="stetho")
        sys.exit(code if isinstance(code, int) else 0)
    except StethoError as error:
        click.echo(f"stetho: {error}", err=True)
        sys.exit(error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
    except click.ClickException as error:
        click.echo(f"stetho: {error.format_message()}", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stetho: interrupted", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output has gone; there is nobody left to tell.
        sys.stderr.close()
        sys.exit(141)
