"""Ideas put to the test by hand: each is one change to the user's command, judged against the base on one seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from stetho.catalogue import Catalogue
from stetho.check import Judgement
from stetho.errors import BadRequest, Interrupted, WorkerLost
from stetho.evidence import Source
from stetho.executors.protocol import OUTPUT
from stetho.experiment import Experiment
from stetho.facts import LossCurve, RunEnd
from stetho.idea import Idea
from stetho.inquiry import BASE, Facts, Inquiry, gravest, judge_all, thinned
from stetho.made import last_words
from stetho.observation import observe
from stetho.outcome import Judged, judge_outcome
from stetho.pairs import SEED, Changed, Pairs
from stetho.repeats import judge_over_seeds, noise_decides
from stetho.why import refuse_isolation, refuse_missing_input
from stetho.yardstick import compare_pace

# The two runs had the machine at different times, so only this many times slower counts as slower.
SLOWER = 2.5
# Seeds on which an idea is tried when one of them is not enough.
REPEATS = 3


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
    reused: int
    seconds: float

    @property
    def exit_code(self) -> int:
        return 0 if all(one.settled for one in self.tried) else 3


def attempt(inquiry: Inquiry, ideas: Sequence[Idea], *, seeds: int | None = None) -> Attempts:
    """Run the base once and each idea beside it, on more seeds where noise decides or they were asked for."""
    try:
        observe(inquiry)
        refuse_missing_input(inquiry)
        refuse_isolation(inquiry)
        refuse_what_never_trains(inquiry, ideas)
        symptom = gravest(inquiry.catalogue, judge_all(inquiry.catalogue, inquiry.facts(BASE)))
        pairs = Pairs(inquiry, symptom)
        pairs.run([(idea, pairs.first) for idea in ideas])
        pairs.run(repeats(pairs, ideas, seeds))
        tried = tuple(concluded(pairs, idea) for idea in ideas)
    except KeyboardInterrupt:
        inquiry.ledger.add_note("interrupted by the user")
        raise Interrupted(f"interrupted; the case is kept: {inquiry.case.path}") from None
    except WorkerLost as error:
        inquiry.ledger.add_note(f"a worker was lost: {error}")
        raise WorkerLost(f"{error}; the case is kept: {inquiry.case.path}") from error
    end, curve = inquiry.fact(RunEnd), inquiry.fact(LossCurve)
    assert end is not None
    level = next((one.judged.before for one in tried if one.judged.measure == "loss"), None)
    if level is None and curve is not None and curve.values:
        level = curve.values[-1]
    return Attempts(
        inquiry.case.id, inquiry.request.command, symptom, base_summary(inquiry), level, end, tried,
        ranking(inquiry, tried), inquiry.runs, inquiry.reused, round(inquiry.spent(), 1),
    )  # fmt: skip


def refuse_what_never_trains(inquiry: Inquiry, ideas: Sequence[Idea]) -> None:
    """A command that takes no step has nothing to change; only an edit could cure that."""
    end = inquiry.fact(RunEnd)
    if end is None or end.steps or end.stopped_by is not None or any(idea.edits for idea in ideas):
        return
    if end.code:
        raise BadRequest(f"the command fails before it trains: {last_words(inquiry.case.recordings / BASE / OUTPUT)}")
    if end.signal is None:
        raise BadRequest(f"there is nothing to change: {end.why_not or 'no step of an optimizer was seen'}")


def repeats(pairs: Pairs, ideas: Sequence[Idea], seeds: int | None) -> list[tuple[Idea | None, int]]:
    """What has to be run on more seeds, the bases among it, as far as the time reaches."""
    asked: list[tuple[Idea | None, int]] = []
    for idea in ideas:
        first = pairs.changed(idea, pairs.first)
        enough = seeds or (REPEATS if wants_more(first, idea) else 1)
        if first.judged.outcome == "not-applied" or enough == 1:
            continue
        for seed in range(pairs.first + 1, pairs.first + enough):
            new = [pair for pair in ((None, seed), (idea, seed)) if pair not in asked]
            each = max(1.0, pairs.end.seconds) / pairs.at_once
            if pairs.inquiry.remaining() > (len(asked) + len(new)) * each:
                asked += new
    return asked


def concluded(pairs: Pairs, idea: Idea) -> Attempt:
    """What an idea came to over its seeds, put on record."""
    seeds = pairs.seeds(idea)
    each = [pairs.changed(idea, seed) for seed in seeds]
    first = each[0]
    judged = judge_over_seeds([one.judged for one in each]) if len(each) > 1 else first.judged
    if len(each) == 1 and wants_more(first, idea) and judged.outcome != "undecided":
        judged = replace(judged, outcome="undecided", detail=f"{judged.detail}; one seed cannot tell that from chance")
    experiment = put(pairs, idea, judged, each)
    applied = first.made.record.applied
    # A control may make anything worse, and is made for that; a cure may not.
    cure = bool(idea.edits) and judged.outcome != "not-applied"
    worse = got_worse(pairs.inquiry.catalogue, pairs.made["", pairs.first].facts, first.made.facts) if cure else ()
    return Attempt(
        idea, experiment, judged, seeds, applied.count, applied.verified, first.moved, worse, first.made.facts
    )


def wants_more(one: Changed, idea: Idea) -> bool:
    """Whether one seed is not enough: noise decides, or the runs did not draw the same random numbers."""
    # To compare two seeds is all that the change of seed is about.
    if idea.intervention.alters == "time" or idea.intervention.id == SEED:
        return False
    if one.judged.outcome in ("not-applied", "new-failure"):
        return False
    if idea.intervention.alters == "spread":
        # Other batches in another order: two seeds are compared, whatever the plan says.
        return one.judged.outcome != "undecided" or one.judged.difference is not None
    if one.judged.outcome == "symptom-gone":
        return False
    return noise_decides(one.judged, moved=True if one.moved is not None else None)


def put(pairs: Pairs, idea: Idea, judged: Judged, each: Sequence[Changed]) -> Experiment:
    """The experiment and the evidence of it, written to the ledger."""
    ledger, first = pairs.inquiry.ledger, each[0]
    number = ledger.next_experiment_id()
    found = first.made.facts.get(LossCurve)
    fact = thinned(found[1]) if found is not None and isinstance(found[1], LossCurve) else None
    proof = first.made.record.applied
    summary = (
        f"{idea.label}, {first.made.end.steps} steps, seeds {len(each)}: {judged.outcome}, {judged.detail} "
        f"(applied {proof.count} times, verified {proof.verified})"
    )
    source = Source(command=" ".join(pairs.inquiry.request.command))
    evidence = ledger.add_evidence("experiment", summary, source=source, fact=fact, run=number)
    experiment = Experiment(
        number, idea.kind, idea.change, idea.question, {}, judged.outcome, judged.detail,
        round(sum(one.made.end.seconds for one in each), 2), first.made.end.steps, judged.before, judged.after,
        (evidence.id,),
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
