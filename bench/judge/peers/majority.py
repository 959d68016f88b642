"""The most frequent fault of the programs for tuning, whatever the program does; it never calls one healthy."""

from __future__ import annotations

from bench.judge.answer import Answer
from bench.judge.frequency import shares
from bench.judge.subject import Subject

TOOL = "majority"


def version() -> str:
    return "of tune"


def answer(subject: Subject, version: str) -> Answer:
    faults = [(family, share) for family, share in shares() if not family.startswith("none/")]
    all_faults = sum(share for _, share in faults) or 1.0
    ranking = tuple((family, share / all_faults) for family, share in faults[:3])
    return Answer(
        TOOL, version, subject.id, subject.digest, "established", ranking, ranking[0][0], ranking[0][1]
    )  # fmt: skip
