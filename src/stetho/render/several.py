"""Several runs in one answer: a line for each, and what tells the failing ones apart."""

from __future__ import annotations

import json
import os
import textwrap

from stetho.evidence import Json
from stetho.render.document import document
from stetho.render.escape import code, plain
from stetho.render.inert import on_one_line
from stetho.several import RunVerdict, SeveralRuns

SCHEMA = "stetho.runs/1"


def render_several(found: SeveralRuns, form: str, width: int | None = None) -> str:
    if form == "json":
        return json.dumps(runs_document(found), indent=2, ensure_ascii=True, allow_nan=False) + "\n"
    return markdown(found) if form == "md" else text(found, width or 100)


def runs_document(found: SeveralRuns) -> dict[str, Json]:
    runs: list[Json] = [{"run": one.run, "verdict": document(one.verdict)} for one in found.runs]
    return {"schema": SCHEMA, "target": found.target, "runs": runs, "shared_by_failing": list(found.shared)}


def row(one: RunVerdict) -> tuple[str, str, str, str]:
    """Name, status, cause and symptoms of a run."""
    verdict = one.verdict
    claim = verdict.claim.cause if verdict.claim is not None else ""
    leading = verdict.hypotheses[0].cause if verdict.hypotheses and verdict.status != "unknown" else ""
    said = ", ".join(dict.fromkeys(symptom.id for symptom in verdict.symptoms))
    return on_one_line(one.run), verdict.status, claim or leading, said


def text(found: SeveralRuns, width: int) -> str:
    """A table, what the failing ones share, and where to read on."""
    failing = sum(one.fails for one in found.runs)
    rows = [("run", "status", "cause", "symptoms"), *map(row, found.runs)]
    widths = [max(len(cells[at]) for cells in rows) for at in range(3)]
    lines = [f" {len(found.runs)} runs, {failing} with a problem", ""]
    for cells in rows:
        lines.append(" " + "  ".join(cell.ljust(size) for cell, size in zip(cells, [*widths, 0], strict=True)).rstrip())
    lines.append("")
    if found.shared:
        words = f"shared by the failing runs and by no other: {', '.join(map(on_one_line, found.shared))}"
        lines += textwrap.wrap(words, width - 2, initial_indent=" ", subsequent_indent="   ")
    worst = min(found.runs, key=lambda one: (not one.fails, one.verdict.status != "established"))
    lines.append(
        f" each in full: stetho cases show {os.path.basename(worst.verdict.case)} (for {on_one_line(worst.run)})"
    )
    return "\n".join(lines) + "\n"


def markdown(found: SeveralRuns) -> str:
    lines = [f"# {len(found.runs)} runs", "", "| run | status | cause | symptoms |", "|---|---|---|---|"]
    for one in found.runs:
        name, *rest = row(one)
        lines.append(f"| {code(name)} | {' | '.join(plain(cell) for cell in rest)} |")
    if found.shared:
        lines += ["", f"Shared by the failing runs and by no other: {', '.join(code(one) for one in found.shared)}"]
    return "\n".join(lines) + "\n"
