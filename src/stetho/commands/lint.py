"""`stetho lint`: patterns in training code that are usually silent bugs."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import click

from stetho.errors import BadRequest


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def command(paths: tuple[str, ...], as_json: bool) -> None:
    """Look for silent-bug patterns in Python files and directories, without running anything.

    Exit code: 0 clean, 1 findings, 2 a path is missing or a file does not parse.
    """
    from stetho import catalogue

    rules = catalogue.load().rules
    rows = []
    for file in files(paths):
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError, RecursionError) as error:
            raise BadRequest(f"{file} does not parse: {error}") from error
        for rule in rules.values():
            for hit in rule.function(tree):
                rows.append({"file": str(file), "line": hit.line, "column": hit.column + 1, "rule": rule.id,
                             "cause": rule.cause, "message": hit.message})  # fmt: skip
    rows.sort(key=lambda r: (str(r["file"]), str(r["line"]).zfill(8)))
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    else:
        for row in rows:
            click.echo(f"{row['file']}:{row['line']}:{row['column']} {row['rule']}: {row['message']} ({row['cause']})")
    raise SystemExit(1 if rows else 0)


def files(paths: tuple[str, ...]) -> list[Path]:
    found: list[Path] = []
    for name in paths:
        path = Path(name)
        if path.is_dir():
            inside = [p for p in path.rglob("*.py") if not any(part.startswith(".") for part in p.parts[1:])]
            found += sorted(inside)
        elif path.exists():
            found.append(path)
        else:
            raise BadRequest(f"there is no file or directory '{name}'")
    return found
