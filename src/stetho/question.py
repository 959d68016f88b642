"""What a question is: something a diagnosis needs to know once a symptom is seen, and which facts answer it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from stetho.facts import Fact
from stetho.verdict import Information, Symptom

Facts: TypeAlias = Mapping[type[Fact], tuple[str, Fact]]
# A fact as its fields, the step of the symptom, and the answer; an empty one where the fact does not tell.
Example: TypeAlias = tuple[Mapping[str, Any], int | None, str]


@dataclass(frozen=True)
class Way:
    """A kind of fact that can answer a question.

    `answer` takes the fact and the step of the symptom, and gives a few words, or none where the fact does not tell.
    """

    reads: type[Fact]
    answer: Callable[[Any, int | None], str]
    examples: Mapping[str, Example]


@dataclass(frozen=True)
class Question:
    """A declared question. The module's docstring is its story.

    `about` are the symptoms that make it worth asking. The first of `ways` that has an answer gives it; where none
    has, a person is asked what `asks` says, and `otherwise` tells how to find out.
    """

    id: str
    short: str
    asks: str
    about: tuple[str, ...]
    ways: tuple[Way, ...]
    otherwise: str
    doc: str = field(default="", compare=False)

    def answered(self, facts: Facts, step: int | None) -> tuple[str, tuple[str, ...]]:
        """The answer and the evidence it rests on; both empty where no fact tells."""
        for way in self.ways:
            held = facts.get(way.reads)
            if held is None:
                continue
            evidence, fact = held
            try:
                told = way.answer(fact, step)
            except (ValueError, ArithmeticError, LookupError):
                # What a log claims can be any number; a question that it cannot answer stays open.
                told = ""
            if told:
                return told, (evidence,)
        return "", ()


def gather(questions: Sequence[Question], facts: Facts, symptoms: Sequence[Symptom]) -> tuple[Information, ...]:
    """What is known and what is not of everything that the symptoms make worth asking, the known first."""
    found = []
    for one in questions:
        seen = [symptom for symptom in symptoms if symptom.id in one.about]
        if not seen:
            continue
        # The gravest stands first; the step that it names is the one that matters.
        step = next((symptom.step for symptom in seen if symptom.step is not None), None)
        answer, evidence = one.answered(facts, step)
        about = tuple(dict.fromkeys(symptom.id for symptom in seen))
        found.append(Information(one.id, one.short, answer, evidence, one.asks, one.otherwise, about))
    return tuple(sorted(found, key=lambda information: not information.answer))
