"""What evaluations came to, told by the losses that were computed without being trained on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from stetho.facts import Evaluation, Evaluations
from stetho.measure.held_out import known_share, too_small
from stetho.measure.loading import prints
from stetho.measure.series import Measured, plural
from stetho.recording import Recording, number


def evaluations(recording: Recording) -> Iterator[Measured]:
    """Each line of the program that evaluates, with its losses and right answers."""
    by_line: dict[tuple[object, str], list[dict[str, Any]]] = defaultdict(list)
    for body in recording.of("evaluation"):
        if number(body["loss"]) is not None:
            by_line[body.get("site"), str(body.get("fn"))].append(body)
    batches = [] if too_small(recording) else recording.of("batch")
    trained = {one for b in batches if b.get("phase") == "train" for one in prints(b)}
    known = known_share(recording)
    lines = tuple(_line(recording, site, name, bodies, trained, known) for (site, name), bodies in by_line.items())
    if lines:
        fact = Evaluations(lines)
        told = fact.held_out() or lines[0]
        right = f", {told.right[-1]:.0%} right" if told.right[-1] is not None else ""
        yield fact, f"{plural(len(told.steps), 'evaluation')} at {told.where}: {told.losses[-1]:.4g} at last{right}"


def _line(
    recording: Recording, site: object, name: str, bodies: list[dict[str, Any]], trained: set[str], known: float
) -> Evaluation:
    met = [one for body in bodies for one in prints(body)]
    return Evaluation(
        function=name,
        where=recording.place(site),
        steps=tuple(int(b["step"]) for b in bodies),
        losses=tuple(number(b["loss"]) or 0.0 for b in bodies),
        right=tuple(number(b.get("right")) for b in bodies),
        samples=int(bodies[-1]["n"]),
        trained=sum(one in trained for one in met) / len(met) if met and trained else None,
        known=known,
        callers=recording.places(site)[1:],
    )
