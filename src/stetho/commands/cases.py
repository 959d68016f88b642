"""`stetho cases`: earlier investigations, listed, shown and resumed."""

from __future__ import annotations

import json
import os
import shlex
import sys
from datetime import datetime
from pathlib import Path

import click

from stetho import codec, config
from stetho.case import Case, CaseSummary, Request, list_cases, open_case
from stetho.evidence import Evidence
from stetho.experiment import Experiment
from stetho.verdict import Verdict

ROOT = click.option("--case", "root", type=Path, metavar="DIR", help="Where cases are kept (default .stetho).")
FORMAT = click.option("--format", "form", type=click.Choice(["text", "json", "md"]), default="text")
JSON = click.option("--json", "as_json", is_flag=True, help="Short for --format json.")


@click.group("cases", invoke_without_command=True)
@ROOT
@JSON
@click.pass_context
def command(context: click.Context, root: Path | None, as_json: bool) -> None:
    """List earlier investigations, newest last; show one, or go on with it."""
    if context.invoked_subcommand is None:
        cases = list_cases(root or Path(config.load(Path.cwd()).case))
        click.echo(_json(cases) if as_json else _table(cases) if cases else "no cases yet")


@command.command()
@click.argument("case")
@ROOT
@FORMAT
@JSON
def show(case: str, root: Path | None, form: str, as_json: bool) -> None:
    """Show the newest verdict of CASE, or its evidence while there is none."""
    found = _open(case, root)
    form = "json" if as_json else form
    with found.open_ledger(read_only=True) as ledger:
        verdict, facts, request = ledger.verdict(), ledger.evidence(), ledger.request()
        experiments = ledger.experiments()
    if verdict is not None:
        text = _rendered(verdict, form)
    elif request is not None and request.verb == "try":
        text = _tried(found, request, experiments, facts, form)
    else:
        text = _unfinished(found, facts, form)
    click.echo(text.rstrip("\n"))


@command.command()
@click.argument("case")
@click.argument("id", metavar="[EVIDENCE]", required=False)
@ROOT
@JSON
def evidence(case: str, id: str | None, root: Path | None, as_json: bool) -> None:
    """Print one piece of EVIDENCE of CASE, such as E7, in full; without it, list them all."""
    with _open(case, root).open_ledger(read_only=True) as ledger:
        if id is None:
            records = ledger.evidence()
            click.echo(_json(records) if as_json else "\n".join(f"{r.id:>4}  {_plain(r.summary)}" for r in records))
            return
        record = ledger.get_evidence(id.upper())
    if not as_json:
        click.echo(f"{record.id} ({record.kind}): {_plain(record.summary)}\n")
    click.echo(_json(record))


@command.command()
@click.argument("case")
@ROOT
@FORMAT
@JSON
def resume(case: str, root: Path | None, form: str, as_json: bool) -> None:
    """Go on with CASE where it stopped, and show its verdict."""
    from stetho.why import resume as go_on

    verdict = go_on(_open(case, root), show=lambda line: click.echo(line, err=True))
    click.echo(_rendered(verdict, "json" if as_json else form))
    sys.exit(verdict.exit_code)


def _open(name: str, root: Path | None) -> Case:
    parent = click.get_current_context().parent  # the option may stand before the verb
    return open_case(root or (parent and parent.params.get("root")) or Path(config.load(Path.cwd()).case), name)


def _rendered(verdict: Verdict, form: str) -> str:
    from stetho.render import render_verdict

    return render_verdict(verdict, form, colour=sys.stdout.isatty() and not os.environ.get("NO_COLOR"))


def _unfinished(case: Case, facts: tuple[Evidence, ...], form: str) -> str:
    if form == "json":
        return _json({"case": case.id, "status": "unfinished", "evidence": facts})
    head = f"{case.id} has no verdict yet; `stetho cases resume {case.id}` goes on with it"
    return "\n".join([head, "", *(f"- {fact.id}: {_plain(fact.summary)}" for fact in facts)])


def _tried(
    case: Case, request: Request, experiments: tuple[Experiment, ...], facts: tuple[Evidence, ...], form: str
) -> str:
    """What stetho try has put on record; it gives no verdict, and asking again takes up what was run."""
    if form == "json":
        status = "tried" if experiments else "unfinished"
        return _json({"case": case.id, "status": status, "experiments": experiments, "evidence": facts})
    head = f"{case.id}: stetho try on {shlex.join(request.command)}"
    rows = [f"- {x.id} {_plain(x.change.label)}: {x.outcome}, {_plain(x.detail)}" for x in experiments]
    again = "nothing was finished; ask again, and what was run is not run again"
    return "\n".join([head, "", *(rows or [again]), "", *(f"- {fact.id}: {_plain(fact.summary)}" for fact in facts)])


def _table(cases: list[CaseSummary]) -> str:
    rows = [("case", "created", "status", "cause", "facts", "command")]
    for c in cases:
        rows.append((c.id, _when(c), c.status, c.cause or "-", str(c.evidence), shlex.join(c.command)))
    cells = [list(map(_plain, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)


def _when(case: CaseSummary) -> str:
    try:
        return f"{datetime.fromtimestamp(case.created):%Y-%m-%d %H:%M}" if case.created else "-"
    except (ValueError, OverflowError, OSError):
        return "-"


def _json(value: object) -> str:
    return json.dumps(codec.encode(value), indent=2)


def _plain(text: str) -> str:
    """Text from logs and commands, with what a terminal would obey spelled out."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
