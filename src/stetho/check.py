"""What a check is: a pure function from facts to findings, with the examples that prove it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from stetho.evidence import Place
from stetho.facts import Fact

Outcome: TypeAlias = Literal["fired", "quiet", "unknown"]
Example: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Finding:
    """What a check saw, in one sentence with its number; `where` is what a person should look at."""

    message: str
    where: tuple[Place, ...] = ()
    step: int | None = None


@dataclass(frozen=True)
class Check:
    """A declared check. The catalogue, `explain`, the reference pages and the tests all read this."""

    id: str
    family: str
    reads: tuple[type[Fact], ...]
    root: str
    background: float
    fires: Mapping[str, Example]
    quiet: Mapping[str, Example]
    function: Callable[..., Iterator[Finding]]
    doc: str
    also: tuple[type[Fact], ...] = ()
    supplied_by: str | None = None
    given: Mapping[str, float] = field(default_factory=dict)
    severity: int = 0
    restates: str = ""
    presupposes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """A check's answer on one set of evidence, with the evidence it rests on."""

    check: str
    outcome: Outcome
    findings: tuple[Finding, ...] = ()
    cites: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def check(
    *,
    reads: type[Fact] | tuple[type[Fact], ...],
    root: str,
    fires: Mapping[str, Example],
    quiet: Mapping[str, Example],
    also: type[Fact] | tuple[type[Fact], ...] = (),
    background: float = 0.02,
    supplied_by: str | None = None,
    given: Mapping[str, float] | None = None,
    severity: int = 0,
    restates: str = "",
    presupposes: tuple[str, ...] = (),
) -> Callable[[Callable[..., Iterator[Finding]]], Check]:
    """Declare a check. Its id is the function's name; its family is the folder it lives in.

    `root` names the one fact that the finding rests on: of several findings with one root, one is counted.
    `also` names facts that it uses where they are at hand; the function is given None for one that is missing.
    `background` is how often it fires when the cause is something it does not speak about.
    `supplied_by` names the intervention that would supply a missing fact.
    `given` says how likely it fires under a cause, for causes whose own file does not say it.
    `severity` orders symptoms; the gravest one that fired stands for the run.
    `restates` names the symptom that tells the same: where that one stands for the run, this is not counted again, and
    what this says of a cause is what the symptom says of it.
    `presupposes` names symptoms without which it cannot fire: where none of them stands for the run, its silence
    follows from that and is not counted again.
    """

    def declare(function: Callable[..., Iterator[Finding]]) -> Check:
        return Check(
            id=function.__name__.strip("_").replace("_", "-"),
            family=(["", *function.__module__.split(".")])[-2] or function.__module__,
            reads=reads if isinstance(reads, tuple) else (reads,),
            also=also if isinstance(also, tuple) else (also,),
            root=root,
            background=background,
            fires=fires,
            quiet=quiet,
            function=function,
            doc=re.sub(r"\n    ", "\n", function.__doc__ or "").strip(),
            supplied_by=supplied_by,
            given=given or {},
            severity=severity,
            restates=restates,
            presupposes=presupposes,
        )

    return declare


def judge(one: Check, facts: Mapping[type[Fact], tuple[str, Fact]]) -> Judgement:
    """Run one check on the facts at hand; a check whose facts are missing answers unknown, never quiet."""
    missing = tuple(t.fact for t in one.reads if t not in facts)
    if missing:
        return Judgement(one.id, "unknown", missing=missing)
    chosen = [facts[t] for t in one.reads]
    beside = [facts.get(t) for t in one.also]
    given = [fact for _, fact in chosen], [None if entry is None else entry[1] for entry in beside]
    findings = tuple(one.function(*given[0], *given[1]))
    cites = tuple(evidence for evidence, _ in (*chosen, *(entry for entry in beside if entry is not None)))
    return Judgement(one.id, "fired" if findings else "quiet", findings, cites)


def judge_each(checks: Iterable[Check], facts: Mapping[type[Fact], tuple[str, Fact]]) -> tuple[Judgement, ...]:
    """Every check's answer. A check that fails on a fact is a defect of that check alone: it answers unknown."""
    answers = []
    for one in checks:
        try:
            answers.append(judge(one, facts))
        except Exception as error:  # noqa: BLE001 - checks are isolated; what was caught is in the answer
            answers.append(Judgement(one.id, "unknown", missing=(f"the check itself failed: {error!r}",)))
    return tuple(answers)
