"""`stetho fix`: what was tried and helped, and applying it when asked."""

from __future__ import annotations

import os
from pathlib import Path

import click

from stetho import config
from stetho.commands.options import case_root
from stetho.errors import BadRequest
from stetho.experiment import Edit


@click.command()
@click.argument("case", default="last")
@case_root
@click.option("--apply", is_flag=True, help="Write the change into your files.")
def command(case: str, case_root: str | None, apply: bool) -> None:
    """Show the fix that a case tried, or apply it.

    CASE is a case's id, number or path, or `last`. Nothing is edited without --apply, and only files
    that are still as they were when the fix was tried.
    """
    from stetho import edited
    from stetho.case import open_case

    root = Path(case_root or config.load(Path.cwd()).case)
    found = open_case(root, case)
    with found.open_ledger(read_only=True) as ledger:
        verdict, experiments = ledger.verdict(), ledger.experiments()
    if verdict is None or verdict.fix is None:
        raise BadRequest(f"case {found.id} offers no fix: none was tried that helped")
    if not apply:
        trial = verdict.fix.trial
        click.echo(verdict.fix.diff, nl=False)
        click.echo(f"tried: final loss {_told(trial.before)} without it, {_told(trial.after)} with it, same seed")
        return
    tried = [x for x in experiments if x.evidence and {*x.evidence} <= {*verdict.fix.trial.evidence}]
    edits: tuple[Edit, ...] = ()
    for one in tried:
        edits = edited.together(edits, one.change.edits)
    if not edits:
        raise BadRequest(f"this fix is a changed command, nothing to edit: {verdict.fix.summary}")
    for edit in edits:
        file = Path(edit.file)
        text = file.read_bytes().decode("utf-8", "surrogateescape") if file.exists() else None
        # A file that is to be there again is none before.
        if (text or "") != edit.before:
            raise BadRequest(f"{edit.file} has changed since the fix was tried; run stetho why again")
    for edit in edits:
        if edit.removed:
            Path(edit.file).unlink()
        else:
            Path(edit.file).parent.mkdir(parents=True, exist_ok=True)
            Path(edit.file).write_bytes(edit.after.encode("utf-8", "surrogateescape"))
        click.echo(f"{'removed' if edit.removed else 'changed'} {os.path.relpath(edit.file)}:{edit.line}")


def _told(level: float | None) -> str:
    return "unknown" if level is None else f"{level:.4g}"
