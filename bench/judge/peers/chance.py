"""A guess: a cause is drawn with its share among the programs for tuning, and claimed."""

from __future__ import annotations

import random

from bench.judge.answer import Answer
from bench.judge.frequency import shares
from bench.judge.subject import Subject

TOOL = "random"


def version() -> str:
    return "seed 0"


def answer(subject: Subject, version: str) -> Answer:
    chance = random.Random(f"0 {subject.id}")
    held = list(shares())
    ranking: list[tuple[str, float]] = []
    while held and len(ranking) < 3:
        one = chance.choices(held, [share for _, share in held])[0]
        held.remove(one)
        ranking.append(one)
    drawn = ranking[0][0]
    healthy = drawn.startswith("none/")
    return Answer(
        TOOL, version, subject.id, subject.digest, "clear" if healthy else "established", tuple(ranking),
        "" if healthy else drawn, ranking[0][1],
    )  # fmt: skip
