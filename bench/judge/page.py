"""The page of the scoreboard: tables, pictures, and every program by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bench.judge import chart, temper
from bench.judge.case import ROOT
from bench.judge.interval import Share
from bench.judge.scoring import SURE, Scored, Scores, claims_right, confusion, reliability, scores
from bench.judge.subject import Subject

PAGE = ROOT / "docs" / "scoreboard.md"
PICTURES = ROOT / "docs" / "scoreboard"
OWN = "stetho"
COSTS = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0)
MOST_CONFUSED = 25
HEAD = """# Scoreboard

Written by `make bench`; do not edit. `python -m bench.judge.scoreboard --score` writes it again from the stored answers
in `bench/results/`, without running anything. [How programs are made and verified](judging.md).

Shares have 95 % intervals (Wilson), means too (bootstrap). Detection: the tool says that something is wrong.
Category and cause: what it ranks first, or among its first three, `none/…` included. A claim is what it calls
established. A program counts as right when an accepted cause is named; of a healthy one, nothing may be said against
it. "Not established" is an outcome of its own, better than a wrong claim. Cost: processor seconds as a multiple of the
plain run's, the median; run-equivalents: steps of all runs, the first one included, over those of the plain run.
Minutes: what all answers took, one after the other, with the plain run that is measured before each; as many are asked
at once as there are jobs.
"""


def write(found: Mapping[str, Sequence[Scored]], everything: Mapping[str, Subject]) -> Iterator[str]:
    """Write the page and its pictures; yields what is worth saying on a terminal."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    own = [row for row in found.get(OWN, ()) if row.subject.side == "test"]
    parts = [HEAD, *_measured(own, everything)]
    table = list(_tools(found, {row.subject.id for row in own}))
    parts += ["## Beside other tools", "", "All on the same programs of the test split.", "", *table, ""]
    parts += _parts_of(own)
    (PICTURES / "reliability.svg").write_text(chart.reliability(reliability(own)), encoding="utf-8")
    costs = [row.answer.multiple for row in own if row.answer.multiple]
    (PICTURES / "cost.svg").write_text(chart.histogram(costs, "times the plain run", COSTS), encoding="utf-8")
    parts += ["## Calibration and cost", "", "![Said against true](scoreboard/reliability.svg)"]
    parts += ["![Cost as a multiple of the plain run](scoreboard/cost.svg)", ""]
    parts += [f"Of the claims made at {SURE:.0%} or more, these are right: {claims_right(own)}.", ""]
    parts += [*_by_cause(own), *_confused(own), *_misses(own)]
    tune = [row for row in found.get(OWN, ()) if row.subject.side == "tune"]
    if tune:
        parts += [
            "## The tune split",
            "",
            "Thresholds were chosen with these at hand: no estimate for other programs.",
            "",
        ]
        parts += [_TOOL_HEAD, _TOOL_RULE, _tool(scores(tune)), ""]
        parts += [f"Of the claims made at {SURE:.0%} or more, these are right: {claims_right(tune)}.", ""]
        parts += ["### Tempering", "", *temper.section(tune), ""]
    parts += _every(own)
    PAGE.write_text("\n".join(parts) + "\n", encoding="utf-8")
    yield from table


def _measured(own: Sequence[Scored], everything: Mapping[str, Subject]) -> Iterator[str]:
    held = [one for one in everything.values() if one.side == "test"]
    kinds = {kind: sum(one.kind == kind for one in held) for kind in ("case", "fault", "silent", "preserving")}
    seen = {kind: sum(row.subject.kind == kind for row in own) for kind in kinds}
    names = {
        "case": "written by hand", "fault": "mutants with a fault that shows",
        "silent": "mutants with one that does not", "preserving": "mutants that mean the same",
    }  # fmt: skip
    version = own[0].answer.version if own else "not run"
    yield f"stetho {version}. Judged of the test split: "
    yield ", ".join(f"{seen[kind]} of {kinds[kind]} {names[kind]}" for kind in kinds) + "."
    yield ""


_TOOL_HEAD = (
    "| tool | programs | detection | category | cause first | among three | established | wrong claims | "
    "false alarms per healthy run | place found | Brier | calibration error | cost | run-equivalents | answered | "
    "minutes |"
)
_TOOL_RULE = "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"


def _tool(one: Scores) -> str:
    cells = (
        f"{one.tool} {one.version}", one.answered.total, one.detection, one.category, one.first, one.few,
        one.established, one.wrong, one.alarms, one.place, one.brier, f"{one.calibration:.2f}", f"{one.cost:.1f}",
        f"{one.equivalents:.1f}" if one.equivalents else "", one.answered, f"{one.minutes:.0f}",
    )  # fmt: skip
    return "| " + " | ".join(map(str, cells)) + " |"


def _tools(found: Mapping[str, Sequence[Scored]], same: set[str]) -> Iterator[str]:
    yield _TOOL_HEAD
    yield _TOOL_RULE
    for name in sorted(found, key=lambda name: (name != OWN, name)):
        rows = [row for row in found[name] if row.subject.id in same]
        if rows:
            yield _tool(scores(rows))


def _parts_of(own: Sequence[Scored]) -> Iterator[str]:
    """stetho's figures for each kind of program."""
    yield from ("## By kind of program", "", _TOOL_HEAD.replace("| tool |", "| kind |", 1), _TOOL_RULE)
    for kind in ("case", "fault", "silent", "preserving"):
        rows = [row for row in own if row.subject.kind == kind]
        if rows:
            yield _tool(scores(rows)).replace(f"| {rows[0].answer.tool} {rows[0].answer.version} |", f"| {kind} |", 1)
    yield ""


def _by_cause(own: Sequence[Scored]) -> Iterator[str]:
    yield from (
        "## Recall by cause",
        "",
        "| family | programs | detected | first | established | place |",
        "|---|---|---|---|---|---|",
    )
    families = sorted({row.subject.family for row in own if not row.subject.healthy})
    for family in families:
        rows = [row for row in own if row.subject.family == family]

        def share(name: str, rows: Sequence[Scored] = rows) -> str:
            return str(Share(sum(bool(getattr(row, name)) for row in rows), len(rows)))

        detected = Share(sum(row.answer.alarmed for row in rows), len(rows))
        yield (
            f"| {family} | {len(rows)} | {detected} | {share('first_right')} | {share('established')} "
            f"| {share('place_right')} |"
        )
    yield ""


def _confused(own: Sequence[Scored]) -> Iterator[str]:
    yield from ("## What stood first where something else is true", "", "| true | first | programs |", "|---|---|---|")
    pairs = sorted(confusion(own).items(), key=lambda pair: (-pair[1], pair[0]))
    for (true, said), count in pairs[:MOST_CONFUSED]:
        yield f"| {true} | {said} | {count} |"
    if len(pairs) > MOST_CONFUSED:
        yield f"| … | {len(pairs) - MOST_CONFUSED} more pairs | {sum(count for _, count in pairs[MOST_CONFUSED:])} |"
    yield ""


_BAD = ("wrong claim", "false alarm", "no answer", "missed", "not established", "not established, ranked first")


def _misses(own: Sequence[Scored]) -> Iterator[str]:
    yield from (
        "## Misses",
        "",
        "The worst first.",
        "",
        "| outcome | program | true | first | said | symptoms |",
        "|---|---|---|---|---|---|",
    )
    bad = [row for row in own if row.outcome in _BAD]
    for row in sorted(bad, key=lambda row: (_BAD.index(row.outcome), row.subject.family, row.subject.id)):
        cause, probability = row.answer.first
        first = f"{cause} {probability:.0%}" if cause else ""
        yield (
            f"| {row.outcome} | {row.subject.id} | {row.subject.family} | {first} "
            f"| {row.answer.claim or row.answer.status} | {' '.join(row.answer.symptoms)} |"
        )
    yield ""


def _every(own: Sequence[Scored]) -> Iterator[str]:
    yield from (
        "## Every program",
        "",
        "| program | true | outcome | claim | place | fix | runs | cost | seconds |",
        "|---|---|---|---|---|---|---|---|---|",
    )
    for row in sorted(own, key=lambda row: (row.subject.kind, row.subject.id)):
        place = "" if row.subject.healthy or not row.answer.places else "right" if row.place_right else "other"
        yield (
            f"| {row.subject.id} | {row.subject.family} | {row.outcome} | {row.answer.claim} | {place} "
            f"| {row.answer.fix} | {row.answer.runs:.0f} | {row.answer.multiple:.1f} | {row.answer.seconds:.0f} |"
        )
