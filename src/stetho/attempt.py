"""Ideas put to the test by hand: each is one change to the user's command, judged against the base on one seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from stetho import measure
from stetho.catalogue import Catalogue
from stetho.check import Judgement
from stetho.errors import Interrupted
from stetho.evidence import Source
from stetho.experiment import Bound, Experiment
from stetho.facts import Fact, LossCurve, RunEnd
from stetho.idea import Idea
from stetho.inquiry import BASE, Facts, Inquiry, gravest, judge_all, thinned
from stetho.observation import observe, recorded
from stetho.outcome import Judged, judge_outcome
from stetho.proof import moved_streams, why_not_applied
from stetho.recording import Recording, read
from stetho.repeats import judge_over_seeds, noise_decides
from stetho.yardstick import compare_pace

SEED = "seed"
# The two runs had the machine at different times, so only this many times slower counts as slower.
SLOWER = 2.5
# Seeds on which an idea is tried when one of them is not enough.
REPEATS = 3


@dataclass(frozen=True)
class Changed:
    """One changed run on one seed, and what it came to."""

    judged: Judged
    record: Recording
    facts: Facts
    end: RunEnd
    moved: tuple[int, str] | None = None


@dataclass(frozen=True)
class Attempt:
    """An idea that was tried."""

    idea: Idea
    experiment: Experiment
    judged: Judged
    seeds: tuple[int, ...]
    applied: int
    verified: int
    moved: tuple[int, str] | None
    worse: tuple[str, ...]
    """What got worse beside the loss: findings that are new, and a slower pace."""
    facts: Facts = field(repr=False)

    @property
    def settled(self) -> bool:
        return self.judged.outcome not in ("not-applied", "undecided")


@dataclass(frozen=True)
class Attempts:
    """Everything that came of one call: the base, each idea, and how the ideas compare."""

    case: str
    command: tuple[str, ...]
    symptom: str
    summary: str
    level: float | None
    end: RunEnd
    tried: tuple[Attempt, ...]
    ranking: tuple[str, ...]
    runs: int
    seconds: float

    @property
    def exit_code(self) -> int:
        return 0 if all(one.settled for one in self.tried) else 3


def attempt(inquiry: Inquiry, ideas: Sequence[Idea], *, seeds: int | None = None) -> Attempts:
    """Run the base once and each idea beside it, on more seeds where noise decides or they were asked for."""
    try:
        observe(inquiry)
        base = inquiry.facts(BASE)
        symptom = gravest(inquiry.catalogue, judge_all(inquiry.catalogue, base))
        pairs = Pairs(inquiry, symptom)
        tried = tuple(try_one(pairs, idea, seeds) for idea in ideas)
    except KeyboardInterrupt:
        inquiry.ledger.add_note("interrupted by the user")
        raise Interrupted(f"interrupted; the case is kept: {inquiry.case.path}") from None
    end, curve = inquiry.fact(RunEnd), inquiry.fact(LossCurve)
    assert end is not None
    level = next((one.judged.before for one in tried if one.judged.measure == "loss"), None)
    if level is None and curve is not None and curve.values:
        level = curve.values[-1]
    return Attempts(
        inquiry.case.id, inquiry.request.command, symptom, base_summary(inquiry), level, end, tried,
        ranking(inquiry, tried), inquiry.runs, round(inquiry.spent(), 1),
    )  # fmt: skip


class Pairs:
    """Base and changed runs on the same seeds; the base of a seed is run once for all ideas."""

    def __init__(self, inquiry: Inquiry, symptom: str) -> None:
        self.inquiry = inquiry
        self.symptom = symptom
        self.first = inquiry.request.seed or 0
        folder = inquiry.case.recordings / BASE
        self.bases: dict[int, tuple[Recording, Facts]] = {self.first: (read(folder), inquiry.facts(BASE))}

    def bound(self, idea: Idea | None) -> Bound:
        """As many steps as the base took; as long as that may take under the change, within the budget."""
        end = self.inquiry.fact(RunEnd)
        cost = idea.intervention.cost if idea is not None else 1.0
        assert end is not None
        wanted = 30 + 4 * cost * end.seconds
        return Bound(max(5.0, min(self.inquiry.remaining(), wanted)), self.limit(end))

    def limit(self, end: RunEnd) -> int | None:
        curve = self.inquiry.fact(LossCurve)
        if curve is not None and curve.nonfinite_step is not None:
            return curve.nonfinite_step * 2 + 60
        return end.steps or None

    def base(self, seed: int) -> tuple[Recording, Facts]:
        if seed not in self.bases:
            self.inquiry.show(f"base       seed {seed}")
            record, facts, _ = self.run(None, seed)
            self.bases[seed] = (record, facts)
        return self.bases[seed]

    def changed(self, idea: Idea, seed: int) -> Changed:
        """The idea on one seed, judged against the base on that seed."""
        before, base = self.base(seed)
        record, facts, end = self.run(idea, seed)
        one = idea.intervention
        moved = moved_streams(before, record)
        why_not = why_not_applied(record)
        if not why_not and moved is not None and moved[0] == 1 and not one.moves and not idea.edits:
            why_not = f"confounded: the change moved {moved[1]} random numbers before it could have any effect"
        if why_not:
            return Changed(Judged("not-applied", why_not), record, facts, end, moved)
        judged = judge_outcome(
            base, facts, self.inquiry.catalogue,
            symptom=self.symptom if seed == self.first else None,
            alters_loss=True if one.alters == "loss" else None,
            about_time=one.alters == "time",
        )  # fmt: skip
        return Changed(judged, record, facts, end, moved)

    def run(self, idea: Idea | None, seed: int) -> tuple[Recording, Facts, RunEnd]:
        inquiry, request = self.inquiry, self.inquiry.request
        changes: list[tuple[str, str, str]] = []
        if seed != self.first:
            other = inquiry.catalogue.interventions[SEED]
            changes.append((SEED, str(seed), other.path))
        command = request.command
        environment: dict[str, str] = {}
        if idea is not None:
            one = idea.intervention
            command, environment = one.prepare(request.command, {}, idea.value)
            changes.append((one.id, idea.value, one.path))
        ran = inquiry.run(
            self.bound(idea),
            lambda p: inquiry.progress(f"step {p.steps}, {p.seconds:.0f} s"),
            command=command, changes=tuple(changes), edits=idea.edits if idea is not None else (),
            environment=environment,
        )  # fmt: skip
        try:
            record = recorded(
                inquiry, ran, f"run{inquiry.runs + inquiry.reused}-{'base' if idea is None else 'changed'}-seed{seed}"
            )
        finally:
            ran.discard()
        taken = measure.taken(measure.main_steps(record))
        end = RunEnd(ran.code, ran.signal, taken, ran.seconds, record.attached, ran.stopped_by)
        facts: dict[type[Fact], tuple[str, Fact]] = {type(f): ("", f) for f, _ in measure.facts(record)}
        facts[RunEnd] = ("", end)
        return record, facts, end


def try_one(pairs: Pairs, idea: Idea, seeds: int | None) -> Attempt:
    """One idea, on as many seeds as it takes or as were asked for, put on record."""
    inquiry = pairs.inquiry
    inquiry.show(f"{idea.kind:9}  {idea.label}")
    first = pairs.changed(idea, pairs.first)
    each = [first]
    enough = seeds or (REPEATS if wants_more(first, idea) else 1)
    while len(each) < enough and first.judged.outcome != "not-applied" and inquiry.remaining() > 2 * first.end.seconds:
        inquiry.show(f"{idea.kind:9}  {idea.label}, seed {pairs.first + len(each)}")
        each.append(pairs.changed(idea, pairs.first + len(each)))
    judged = judge_over_seeds([one.judged for one in each]) if len(each) > 1 else first.judged
    if len(each) == 1 and wants_more(first, idea) and judged.outcome in ("better", "worse", "same"):
        judged = replace(judged, outcome="undecided", detail=f"{judged.detail}; on one seed only, and noise decides")
    experiment = put(pairs, idea, judged, each)
    used = tuple(pairs.first + number for number in range(len(each)))
    applied = first.record.applied
    # A control may make anything worse, and is made for that; a cure may not.
    cure = bool(idea.edits) and judged.outcome != "not-applied"
    worse = got_worse(inquiry.catalogue, pairs.base(pairs.first)[1], first.facts) if cure else ()
    return Attempt(idea, experiment, judged, used, applied.count, applied.verified, first.moved, worse, first.facts)


def wants_more(one: Changed, idea: Idea) -> bool:
    """Whether one seed is not enough: noise decides, or the runs did not draw the same random numbers."""
    if one.judged.outcome in ("not-applied", "symptom-gone", "new-failure") or idea.intervention.alters == "time":
        return False
    return noise_decides(one.judged) or (one.moved is not None and one.judged.outcome != "undecided")


def put(pairs: Pairs, idea: Idea, judged: Judged, each: Sequence[Changed]) -> Experiment:
    """The experiment and the evidence of it, written to the ledger."""
    ledger, first = pairs.inquiry.ledger, each[0]
    number = ledger.next_experiment_id()
    found = first.facts.get(LossCurve)
    fact = thinned(found[1]) if found is not None and isinstance(found[1], LossCurve) else None
    proof = first.record.applied
    summary = (
        f"{idea.label}, {first.end.steps} steps, seeds {len(each)}: {judged.outcome}, {judged.detail} "
        f"(applied {proof.count} times, verified {proof.verified})"
    )
    source = Source(command=" ".join(pairs.inquiry.request.command))
    evidence = ledger.add_evidence("experiment", summary, source=source, fact=fact, run=number)
    experiment = Experiment(
        number, idea.kind, idea.change, idea.question, {}, judged.outcome, judged.detail,
        round(sum(one.end.seconds for one in each), 2), first.end.steps, judged.before, judged.after, (evidence.id,),
    )  # fmt: skip
    ledger.add_experiment(experiment)
    return experiment


def got_worse(catalogue: Catalogue, base: Facts, changed: Facts) -> tuple[str, ...]:
    """What the change has made worse beside what it was judged by: new findings, and a slower pace."""
    before = {j.check for j in judge_all(catalogue, base) if j.outcome == "fired"}
    new = [j for j in judge_all(catalogue, changed) if j.outcome == "fired" and j.check not in before]
    words = [_told(j) for j in new]
    pace = compare_pace(base, changed).difference
    if pace is not None and pace.clear and pace.before > SLOWER * pace.after:
        words.append(f"slower: {pace.before:.3g} → {pace.after:.3g} steps/s")
    return tuple(words)


def _told(judgement: Judgement) -> str:
    said = judgement.findings[0].message if judgement.findings else ""
    return f"{judgement.check}: {said}" if said else judgement.check


def ranking(inquiry: Inquiry, tried: Sequence[Attempt]) -> tuple[str, ...]:
    """Which of several edits that help is clearly better than another, compared with each other on the same seed."""
    helped = [one for one in tried if one.idea.edits and one.judged.outcome in ("symptom-gone", "better")]
    words = []
    for one in helped:
        for other in helped:
            if one is other:
                continue
            between = judge_outcome(other.facts, one.facts, inquiry.catalogue, symptom="none")
            if between.outcome == "better":
                words.append(f"{one.idea.label} is clearly better than {other.idea.label}")
    return tuple(words)


def base_summary(inquiry: Inquiry) -> str:
    """How the unchanged run went, in the words of its evidence."""
    return next((e.summary for e in inquiry.ledger.evidence() if e.run == BASE and e.fact == RunEnd.fact), "")
