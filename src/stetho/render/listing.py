"""The list of interventions, as `stetho try --list` shows it."""

from __future__ import annotations

import json

from stetho.catalogue import load
from stetho.intervention import Intervention
from stetho.render.page import first_sentence

SCHEMA = "stetho.interventions/1"


def listed(form: str) -> str:
    """Every change that can be made by hand: how it is written, what it changes, what it needs."""
    ones = [one for one in load().interventions.values() if one.by_hand]
    if form == "json":
        return json.dumps({"schema": SCHEMA, "interventions": [_entry(one) for one in ones]}, indent=1) + "\n"
    if form == "md":
        rows = ["| change | what it does | needs |", "|---|---|---|"]
        for one in ones:
            usage = ", ".join(f"`{way}`" for way in one.usage.split(" | "))
            rows.append(f"| {usage} | {first_sentence(one.doc)} | {one.applies} |")
        return "\n".join(rows) + "\n"
    lines = []
    for one in ones:
        lines += [f" {one.usage}", f"     {first_sentence(one.doc)}"]
    return "\n".join([*lines, "", " stetho explain NAME tells what one can show, and when it says nothing."]) + "\n"


def _entry(one: Intervention) -> dict[str, object]:
    return {
        "id": one.id,
        "kind": one.kind,
        "usage": one.usage,
        "values": dict(one.values),
        "summary": first_sentence(one.doc),
        "question": one.question,
        "needs": one.applies,
        "alters": one.alters,
        "moves": one.moves,
        "cost": one.cost,
    }
