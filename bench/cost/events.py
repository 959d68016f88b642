"""How often each fact was recorded: counted in the recordings of the measured runs."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EARLY = 100
# What the kinds of events hold, as the page names them; kinds not named here are shown as they are called.
FACTS = {
    "steps": "loss, learning rate, global gradient norm, step time",
    "step": "loss, learning rate, global gradient norm",
    "sample": "gradient and weight statistics of each layer, real parameter change",
    "u": "real parameter change",
    "activations": "activation statistics of each layer",
    "loss-call": "a loss call's shapes, ranges and chance value",
    "loss-value": "value of a loss call",
    "input": "scale of the model's input",
    "batch": "fingerprints of the samples in a batch",
    "pairs": "inputs kept beside their labels",
    "raw": "raw samples kept",
    "graph": "backward graph walked",
    "terms": "terms of the loss",
    "fit": "share of the targets' variance explained",
}
# Said once, or about the recording itself.
LEFT_OUT = {
    "attached", "run", "site", "optimizer", "parameters", "model", "end", "coverage", "planned", "mode", "modes",
    "seeded", "loader", "scheduler", "loaded", "epoch", "backward", "thinned", "full", "applied",
}  # fmt: skip
# The dear ones: every layer is looked at.
SAMPLED = ("sample", "u")


@dataclass(frozen=True)
class Counts:
    """How often each fact was recorded in the first steps, and per 100 steps after them."""

    first: dict[str, int]
    later: dict[str, float]
    bytes_first: int
    bytes_later: float
    steps: int
    sampled: int
    """Steps after the warm-up at which every layer was looked at."""


def count(recording: Path, warm: int) -> Counts:
    """Count by the step that each event names, or else by the last step before it in the file."""
    sampled: set[int] = set()
    first: Counter[str] = Counter()
    later: Counter[str] = Counter()
    size = [0, 0]
    last = 0
    for path in sorted(recording.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            event = json.loads(line)
            begin = int(event.get("i", event.get("step", last)) or 0)
            steps = range(begin, begin + int(event["n"])) if event["e"] == "steps" else range(begin, begin + 1)
            last = max(last, steps[-1]) if steps else last
            early = sum(s < EARLY for s in steps)
            size[begin >= EARLY] += len(line) + 1
            for kind in kinds(event):
                if kind in SAMPLED and begin >= warm:
                    sampled.add(begin)
                first[kind] += early
                later[kind] += len(steps) - early
    beyond = last + 1 - EARLY
    per = {k: 100 * n / beyond for k, n in later.items()} if beyond > 0 else {}
    return Counts(dict(first), per, size[0], 100 * size[1] / beyond if beyond > 0 else 0.0, last + 1, len(sampled))


def kinds(event: dict[str, Any]) -> list[str]:
    """What an event counts as; a step that also holds the parameter change counts as both."""
    if event["e"] in LEFT_OUT:
        return []
    return [event["e"], "u"] if event["e"] == "step" and "u" in event else [event["e"]]


def fault(recording: Path) -> str | None:
    """What the observer tripped over, if it did: a run that it left early is no measurement."""
    for path in recording.glob("*.jsonl"):
        for line in path.read_text().splitlines():
            event = json.loads(line)
            if event["e"] == "fault":
                return f"{event.get('hook')}: {event.get('error')}"
    return None
