"""What is left of earlier steps: graphs that are kept, and backwards that failed at one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stetho.facts import Holder, KeptGraphs, RefusedBackward
from stetho.measure.series import Measured, plural, thin
from stetho.recording import Recording

COUNTS = ("nodes", "carried", "held", "marked")
# Steps looked at from which it can be told whether anything grows.
LEAST = 6


def kept_graphs(recording: Recording) -> Iterator[Measured]:
    """How much of each graph is of earlier steps, and how many earlier graphs are still there."""
    seen: dict[int, dict[str, Any]] = {}
    for body in recording.of("graph"):
        if all(isinstance(body.get(key), int) for key in ("step", *COUNTS)):
            # Of several backwards in a step, the one with the largest graph.
            known = seen.get(body["step"])
            if known is None or body["nodes"] > known["nodes"]:
                seen[body["step"]] = body
    if len(seen) < LEAST:
        return
    kept = thin(list(seen.values()))
    nodes, carried, held, marked = (tuple(int(body[key]) for body in kept) for key in COUNTS)
    resident = tuple(int(b["resident"]) for b in kept if isinstance(b.get("resident"), int))
    entered = next((recording.places(b["entered"]) for b in kept if recording.places(b.get("entered"))), ())
    told = [pair for body in recording.of("graph") for pair in body.get("holders") or ()]
    holders = {str(name): Holder(str(name), recording.place(site)) for name, site in told}
    steps = tuple(int(body["step"]) for body in kept)
    whole = resident if len(resident) == len(kept) else ()
    fact = KeptGraphs(steps, nodes, carried, held, marked, whole, entered, tuple(holders.values()))
    old = f"{carried[-1]} of the {plural(nodes[-1], 'node')} behind the loss at step {steps[-1]} are of earlier steps"
    yield fact, f"{old}; of {plural(marked[-1], 'earlier step')} looked at, {held[-1]} still have their graph"


def refused_backward(recording: Recording) -> Iterator[Measured]:
    """The last backward that raised."""
    told = [b for b in recording.of("refused") if all(isinstance(b.get(k), int) for k in ("step", "nodes", "carried"))]
    if not told:
        return
    body = told[-1]
    fact = RefusedBackward(body["step"], body["nodes"], body["carried"], recording.places(body.get("site")))
    old = f"{fact.carried} of the {plural(fact.nodes, 'node')} of its graph"
    yield fact, f"backward failed after {plural(fact.step, 'step')}; {old} were made before the last step"
