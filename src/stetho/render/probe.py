"""What the probes saw, as text, JSON or Markdown; the schema of the JSON is published beside this file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from stetho.codec import encode
from stetho.evidence import Json
from stetho.probing import Report, Section, place_of, unknowns
from stetho.render.document import readable_document
from stetho.render.escape import code, plain
from stetho.render.inert import on_one_line
from stetho.render.terminal import QUIET, draw, grid, ids, words

if TYPE_CHECKING:
    from rich.table import Table

    from stetho.render.terminal import Block

NOTHING = "nothing, in what could be seen"


def render_report(
    report: Report, form: str, *, width: int | None = None, colour: bool = False, brief: bool = False
) -> str:
    """The report in one of the formats; `brief` is for the text: only what is worth a look."""
    if form == "json":
        return json.dumps(document(report), indent=2, ensure_ascii=True, allow_nan=False) + "\n"
    return markdown(report) if form == "md" else text(report, width=width, colour=colour, brief=brief)


def schema() -> dict[str, Any]:
    """The published JSON Schema of the document."""
    parsed: dict[str, Any] = json.loads(
        files("stetho.render").joinpath("probe.schema.json").read_text(encoding="utf-8")
    )
    return parsed


def document(report: Report) -> Json:
    return readable_document(encode(report))


def ordered(report: Report) -> list[Section]:
    """The sections in reading order."""
    return sorted(report.sections, key=lambda one: place_of(one.probe))


def text(report: Report, *, width: int | None, colour: bool, brief: bool) -> str:
    """Everything at a glance: what was seen, what was not, what is worth a look."""
    blocks: list[Block] = []
    if not brief:
        head = grid("fit", "rest")
        head.add_row(words(("probed", "bold")), words(on_one_line(_head(report))))
        blocks += [head, _seen(report)]
        blocks += [table] if (table := _not_seen(report)) is not None else []
    blocks.append(_worth(report))
    return draw(blocks, width=width, colour=colour)


def _head(report: Report) -> str:
    who = f", pid {report.pid}" if report.pid is not None else ""
    many = f", {len(report.family)} process{'es' * (len(report.family) > 1)}" if report.family else ""
    return f"{report.folder}{who}{many}, in {report.seconds:.1f} s"


def _seen(report: Report) -> Table:
    table = grid("fit", "rest", "cites")
    summaries = {one.id: one.summary for one in report.evidence}
    for section in ordered(report):
        for sight in section.seen:
            summary = words(on_one_line(summaries[sight.evidence]))
            table.add_row(words((section.probe, "bold")), summary, ids((sight.evidence,)))
            for line in sight.details:
                table.add_row("", words((on_one_line(line), QUIET)), "")
    return table


def _not_seen(report: Report) -> Table | None:
    table = grid("fit", "rest")
    for probe, one in unknowns(report):
        table.add_row(
            words(("unknown", "yellow")), words((f"{probe}: ", "bold"), on_one_line(f"{one.what}: {one.why}"))
        )
        if one.instead:
            table.add_row("", words(("run instead: ", QUIET), on_one_line(one.instead)))
    return table if table.row_count else None


def _worth(report: Report) -> Table:
    table = grid("fit", "rest", "cites")
    if not report.findings:
        table.add_row(words(("worth a look", "bold green")), words(NOTHING), "")
    for number, one in enumerate(report.findings):
        label = words(("worth a look" if number == 0 else "", "bold red"))
        message = words((one.check, "bold"), f": {on_one_line(one.message)}")
        table.add_row(label, message, ids(one.evidence))
    return table


def markdown(report: Report) -> str:
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    summaries = {one.id: one for one in report.evidence}
    yield from (f"# Probed: {code(report.folder)}", "", plain(_head(report)) + ".", "", "## Worth a look", "")
    for one in report.findings:
        yield f"- {code(one.check)}: {plain(one.message)} ({', '.join(one.evidence)})"
    if not report.findings:
        yield f"- {NOTHING}"
    yield from ("", "## What was seen", "")
    for section in ordered(report):
        for sight in section.seen:
            evidence = summaries[sight.evidence]
            source = code(evidence.source.command or "")
            yield f"- **{plain(section.probe)}** ({evidence.id}): {plain(evidence.summary)}. Read: {source}"
            yield from (f"  - {plain(line)}" for line in sight.details)
    yield from ("", "## Unknown", "")
    missing = list(unknowns(report))
    for probe, gap in missing:
        instead = f" Run instead: {code(gap.instead)}" if gap.instead else ""
        yield f"- **{plain(probe)}**, {plain(gap.what)}: {plain(gap.why)}.{instead}"
    if not missing:
        yield "- nothing"
