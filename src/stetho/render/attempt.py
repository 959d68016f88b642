"""What came of ideas that were tried by hand, as text, JSON and Markdown."""

from __future__ import annotations

import json
import math
import textwrap

from stetho.attempt import Attempt, Attempts
from stetho.evidence import Json
from stetho.render.escape import code, plain
from stetho.render.inert import inert

SCHEMA = "stetho.try/1"
LEAST_SURE = 0.95


def render_attempts(found: Attempts, form: str, width: int = 100) -> str:
    if form == "json":
        return json.dumps(document(found), indent=1, ensure_ascii=False) + "\n"
    return markdown(found) if form == "md" else text(found, width)


def document(found: Attempts) -> dict[str, Json]:
    """The library's own values, with numbers that JSON has no word for as null."""
    return {
        "schema": SCHEMA,
        "case": found.case,
        "command": list(found.command),
        "base": {
            "symptom": found.symptom,
            "summary": found.summary,
            "steps": found.end.steps,
            "seconds": found.end.seconds,
            "loss": number(found.level),
        },
        "experiments": [entry(one) for one in found.tried],
        "ranking": list(found.ranking),
        "cost": {"seconds": found.seconds, "runs": found.runs, "reused": found.reused},
    }


def entry(one: Attempt) -> dict[str, Json]:
    return {
        "id": one.experiment.id,
        "kind": one.experiment.kind,
        "change": one.idea.label,
        "question": one.experiment.question,
        "outcome": one.judged.outcome,
        "detail": one.judged.detail,
        "measure": one.judged.measure,
        "before": number(one.judged.before),
        "after": number(one.judged.after),
        "certainty": number(one.judged.certainty),
        "applied": one.applied,
        "verified": one.verified,
        "streams_moved_at": one.moved[0] if one.moved else None,
        "seeds": list(one.seeds),
        "worse": list(one.worse),
        "files": [edit.file for edit in one.idea.edits],
        "steps": one.experiment.steps,
        "seconds": one.experiment.seconds,
        "evidence": list(one.experiment.evidence),
    }


def number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def text(found: Attempts, width: int) -> str:
    """A line for the base, and for each idea its outcome, its proof and what got worse."""
    wrong = f", {found.symptom}" if found.symptom != "none" else ", no symptom"
    lines = [f" base       {found.summary}{wrong}", ""]
    room = max((len(one.idea.label) for one in found.tried), default=0)
    for one in found.tried:
        head = f" {one.experiment.id:3} {one.experiment.kind:9}  {one.idea.label:{room}}  "
        head += f"{one.judged.outcome.upper():12}  "
        below = " " * 6
        told = textwrap.wrap(one.judged.detail, max(40, width - len(head))) or [""]
        lines += [head + told[0], *(" " * len(head) + line for line in told[1:])]
        for line in proof(one):
            lines += textwrap.wrap(line, width, initial_indent=below, subsequent_indent=below + "  ")
    lines += ["", *(f" {line}" for line in found.ranking)]
    before = f", {found.reused} taken from before" if found.reused else ""
    lines.append(f" {found.runs} runs in {found.seconds:.0f} s{before}, case {found.case}")
    return "\n".join(inert(line).rstrip() for line in lines) + "\n"


def proof(one: Attempt) -> list[str]:
    """How it is known, and what else there is to know."""
    said = []
    if one.judged.outcome != "not-applied":
        seeds = f", seeds {', '.join(map(str, one.seeds))}" if len(one.seeds) > 1 else f", seed {one.seeds[0]}"
        used = f"{one.applied} of {len(one.idea.edits)} edited files used" if one.idea.edits else ""
        times = used or f"applied {one.applied} times, verified {one.verified}"
        # How sure it is that there is a difference says something only where one is claimed.
        told = one.judged.outcome in ("better", "worse") and (one.judged.certainty or 0) > LEAST_SURE
        sure = f", {sureness(one.judged.certainty or 0)}" if told else ""
        said.append(f"{times}, {one.experiment.steps} steps, {one.experiment.seconds:.1f} s{seeds}{sure}")
    if one.moved is not None and one.judged.outcome != "not-applied":
        why = one.idea.intervention.moves
        said.append(f"{one.moved[1]} random numbers differ from step {one.moved[0]} on" + (f": {why}" if why else ""))
    return said + [f"worse      {line}" for line in one.worse]


def sureness(certainty: float) -> str:
    return "sure to more than 99.9 %" if certainty > 0.999 else f"sure to {100 * certainty:.1f} %"


def markdown(found: Attempts) -> str:
    rows = ["| experiment | change | outcome | what was seen | how it is known |", "|---|---|---|---|---|"]
    for one in found.tried:
        told = (plain(one.judged.detail), plain("; ".join(proof(one))))
        cells = (one.experiment.id, code(one.idea.label), one.judged.outcome, *told)
        rows.append("| " + " | ".join(cells) + " |")
    base = f"Base: {plain(found.summary)}, {found.symptom}."
    head = f"# Tried: {code(' '.join(found.command))}"
    return "\n".join([head, "", base, "", *rows, "", *map(plain, found.ranking)]) + "\n"
