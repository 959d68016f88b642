"""Performing an experiment: the changed run, whether the change took hold, and what is put on record."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from stetho import fixes
from stetho.check import judge
from stetho.cost import expected_seconds, step_bound
from stetho.early import first_reason, outcome_decided
from stetho.errors import ScratchError
from stetho.evidence import Source
from stetho.executors.protocol import Ran
from stetho.experiment import Bound, Change, Experiment, ExperimentKind
from stetho.facts import (
    Association,
    DataFiles,
    Evaluations,
    InputScale,
    LearningRate,
    LossCurve,
    LostColumns,
    NonfiniteOrigin,
    Optimizers,
    Printed,
)
from stetho.fixes import Cure, Grounds
from stetho.inquiry import Facts, Inquiry, map_places, thinned
from stetho.made import Made, keep
from stetho.outcome import Judged, judge_outcome
from stetho.parallel import Task, at_once, together
from stetho.proof import confounded, moved_streams, why_not_applied
from stetho.reason import Candidate, Seen, predicted
from stetho.recording import Recording
from stetho.setting import decay_scaled
from stetho.yardstick import fact_in

# Steps in which enough samples pass to see whether labels follow inputs.
SCREENING_STEPS = 60
MOST_SCREENED = 16
HELPED = ("symptom-gone", "better")
# By how much files may be larger than those that they are made from.
LEAST_SOURCE = 50
# Steps that show whether a run goes on as before without files that it makes anew, and how many of them must be known.
FIRST_STEPS, LEAST_COMMON = 12, 5


@dataclass(frozen=True)
class Result:
    """A changed run, judged against the base."""

    judged: Judged
    steps: int = 0
    seconds: float = 0.0
    facts: Facts = field(default_factory=dict)
    reused: bool = False
    """Whether the run was made before, for an earlier case."""


def grounds(inquiry: Inquiry) -> Grounds:
    cwd = os.path.realpath(inquiry.request.cwd)
    whole = {k: map_places(f, lambda p: os.path.join(cwd, p)) for k, (_, f) in inquiry.facts().items()}
    return Grounds(whole, inquiry.request.command, cwd, inquiry.experiments())


def perform(inquiry: Inquiry, candidate: Candidate, seen: Seen) -> Experiment:
    """Run one experiment and put it, with its outcome, on record."""
    if candidate.supplies is not None:
        return look_closer(inquiry, candidate)
    if candidate.tests is not None:
        return try_cures(inquiry, candidate.tests, seen)
    name, _, value = candidate.change.partition("=")
    intervention = inquiry.catalogue.intervention(candidate.change)
    inquiry.show(f"{intervention.kind:9}  {candidate.change}")
    kind: ExperimentKind = "smoke" if intervention.kind == "smoke" else "control"
    known = {one.fact: fact for one, (_, fact) in inquiry.facts().items()}
    changes = ((name, value or intervention.chosen(known), intervention.path),)
    result = changed_run(inquiry, changes=changes, seen=seen, alters=intervention.alters, smoke=kind == "smoke")
    return put(
        inquiry,
        kind,
        Change(name, value, group=intervention.groups.get(value, "")),
        intervention.question,
        result,
        seen,
    )


def put(
    inquiry: Inquiry,
    kind: ExperimentKind,
    change: Change,
    question: str,
    result: Result,
    seen: Seen,
    *,
    tests: str | None = None,
    supplies: str | None = None,
    cites: tuple[str, ...] = (),
) -> Experiment:
    """An experiment and the evidence of it, written to the ledger."""
    said = predicted(inquiry.catalogue, change.label, tests, symptomatic=seen.symptom != "none")
    number = inquiry.ledger.next_experiment_id()
    made = ", made before" if result.reused else ""
    summary = f"{change.label}, {result.steps} steps{made}: {result.judged.detail}"
    curve = result.facts.get(LossCurve)
    fact = thinned(curve[1]) if curve is not None and isinstance(curve[1], LossCurve) else None
    evidence = inquiry.ledger.add_evidence(
        "experiment", summary, source=Source(command=" ".join(change.command or inquiry.request.command)),
        fact=fact, run=number,
    )  # fmt: skip
    found = result.judged
    experiment = Experiment(
        number, kind, change, question, said, found.outcome, found.detail, round(result.seconds, 2),
        result.steps, found.before, found.after, (evidence.id, *cites), tests, supplies, found.measure, inquiry.base,
    )  # fmt: skip
    inquiry.ledger.add_experiment(experiment)
    return experiment


def changed_run(
    inquiry: Inquiry,
    *,
    seen: Seen,
    changes: tuple[tuple[str, str, str], ...] = (),
    cure: Cure | None = None,
    cause: str | None = None,
    alters: str = "",
    smoke: bool = False,
) -> Result:
    """The user's command with one change, judged against the base run on the same seed."""
    task = prepared(inquiry, changes, cure)
    try:
        ran = inquiry.counted(inquiry.execute(task.job, task.watch))
    except ScratchError as error:
        # An edit that cannot be made in the scratch is one that was not tried.
        if cure is None:
            raise
        return Result(Judged("not-applied", str(error)))
    return concluded(inquiry, ran, seen, cure, cause, alters, smoke)


def prepared(
    inquiry: Inquiry,
    changes: tuple[tuple[str, str, str], ...] = (),
    cure: Cure | None = None,
    steps: int | None = None,
) -> Task:
    """What to run for one change, and when to end it."""
    command = cure.command if cure is not None and cure.command is not None else inquiry.request.command
    bound = Bound(max(5.0, min(inquiry.remaining(), 30 + 4 * expected_seconds(inquiry))), steps or step_bound(inquiry))
    edits = cure.edits if cure else ()
    job = inquiry.job(bound, command=command, changes=changes, edits=edits)
    watch = first_reason(
        lambda p: inquiry.progress(f"step {p.steps}, {p.seconds:.0f} s"),
        outcome_decided(inquiry.facts(inquiry.ground)),
    )
    return Task(job, watch)


def concluded(
    inquiry: Inquiry,
    ran: Ran,
    seen: Seen,
    cure: Cure | None = None,
    cause: str | None = None,
    alters: str = "",
    smoke: bool = False,
) -> Result:
    """What a changed run shows beside the base."""
    made = keep(inquiry, ran)
    end, facts = made.end, made.facts
    why_not = why_no_evidence(inquiry, made.record, facts, cure, cause)
    if why_not:
        return Result(Judged("not-applied", why_not), end.steps, end.seconds, facts, ran.reused)
    if cure is not None and cure.alters == "held-out" and not held_out_told(inquiry.facts(inquiry.ground)):
        words = "no result on held-out data is told, and on other rows training says nothing"
        return Result(Judged("undecided", words), end.steps, end.seconds, facts, ran.reused)
    judged = judge_outcome(
        inquiry.facts(inquiry.ground),
        facts,
        inquiry.catalogue,
        symptom=seen.symptom,
        resumed=bool(inquiry.restores),
        alters=made.record.applied.alters or alters,
        smoke=smoke,
    )
    return Result(judged, end.steps, end.seconds, facts, ran.reused)


def held_out_told(facts: Facts) -> bool:
    """Whether anything tells how a run does on data that it was not trained on."""
    printed, seen = fact_in(facts, Printed), fact_in(facts, Evaluations)
    marked = printed is not None and any(one.split == "validation" for one in printed.numbers)
    return marked or (seen is not None and seen.held_out() is not None)


def why_no_evidence(inquiry: Inquiry, record: Recording, facts: Facts, cure: Cure | None, cause: str | None) -> str:
    """Why a changed run says nothing: its change was not made, or not seen to have its effect."""
    if inquiry.restores and not restored(record):
        return "the kept state was not put back"
    # What is carried at run time acts in every run: what it has done in the one without the change is not the change's.
    carried = inquiry.record() if inquiry.carried.changes else None
    if carried is not None and carried.applied.count and not record.applied.count:
        return "the change that cures another cause was not made"
    if cure is None:
        asked = [inquiry.catalogue.interventions[body["id"]] for body in record.of("change")]
        somewhere = bool(asked) and asked[-1].somewhere
        return why_not_applied(record, carried, somewhere=somewhere) or _confounded(inquiry, record)
    return "" if took_effect(inquiry, cure, cause, facts) else "the edit did not have its effect"


def _confounded(inquiry: Inquiry, record: Recording) -> str:
    """Whether the change itself drew random numbers; a run from a kept state begins elsewhere, and cannot tell."""
    changes = [inquiry.catalogue.interventions[body["id"]] for body in record.of("change")]
    if inquiry.restores or not changes:
        return ""
    return confounded(moved_streams(inquiry.record(), record), changes[-1])


def restored(record: Recording) -> bool:
    """Whether the state that was kept was put into the run."""
    return any(body.get("why") is None for body in record.of("restored"))


def took_effect(inquiry: Inquiry, cure: Cure, cause: str | None, facts: Facts) -> bool:
    """Whether an edit did what it was meant to: the rate or the decay is the new one, or the mechanism is gone."""
    if cure.scales_decay is not None:
        made = facts.get(Optimizers)
        return made is not None and decay_scaled(inquiry.fact(Optimizers, inquiry.ground), made[1], cure.scales_decay)
    if cure.scales_rate is not None:
        was, rate = inquiry.fact(LearningRate, inquiry.ground), facts.get(LearningRate)
        if was is None or rate is None or not isinstance(rate[1], LearningRate):
            return False
        pairs = ((was.initial, rate[1].initial), (max(was.values), max(rate[1].values)))
        return all(math.isclose(old * cure.scales_rate, new, rel_tol=0.02) for old, new in pairs)
    checks = [inquiry.catalogue.checks[c] for c in inquiry.catalogue.causes[cause or ""].mechanism]
    if (lost := inquiry.facts(inquiry.ground).get(LostColumns)) is not None:
        # What the file tells stays as it is; whether its columns are lost is told by the changed run's inputs.
        facts = {LostColumns: lost, **facts}
    answers = [judge(c, facts).outcome for c in checks]
    needs = {t for c in checks for t in c.reads}
    if NonfiniteOrigin in needs:
        return "fired" not in answers
    if cure.kind == "data" and cure.alters:
        return "fired" not in answers and read_anew(inquiry, cure, facts)
    return "fired" not in answers and "quiet" in answers


def drawn_by_lot(inquiry: Inquiry, cure: Cure, result: Result) -> bool:
    """Whether a run does better without files for which it read nothing that they could be made from."""
    removed = {os.path.realpath(edit.file) for edit in cure.edits if edit.removed}
    opened = result.facts.get(DataFiles)
    if len(removed) < max(1, len(cure.edits)) or opened is None or result.judged.outcome not in HELPED:
        return False
    cwd = os.path.realpath(inquiry.request.cwd)
    files = opened[1].files if isinstance(opened[1], DataFiles) else ()
    read = {os.path.realpath(os.path.join(cwd, one.file)) for one in files if one.read is not None}
    size = sum(os.path.getsize(one) for one in read - removed if os.path.isfile(one))
    return size * LEAST_SOURCE < sum(len(edit.before) for edit in cure.edits)


def read_anew(inquiry: Inquiry, cure: Cure, facts: Facts) -> bool:
    """Whether the files that an edit of data left were read, and training went otherwise than before."""
    opened, was, now = facts.get(DataFiles), inquiry.fact(LossCurve, inquiry.ground), facts.get(LossCurve)
    if opened is None or now is None or not isinstance(opened[1], DataFiles) or not isinstance(now[1], LossCurve):
        return False
    cwd = os.path.realpath(inquiry.request.cwd)
    read = {os.path.realpath(os.path.join(cwd, one.file)) for one in opened[1].files if one.read is not None}
    there = {os.path.realpath(edit.file) for edit in cure.edits if not edit.removed}
    values = now[1].values
    return there <= read and was is not None and was.values[: len(values)] != values[: len(was.values)]


def failing_step(inquiry: Inquiry) -> int:
    curve = inquiry.fact(LossCurve, inquiry.ground)
    return curve.nonfinite_step if curve is not None and curve.nonfinite_step is not None else 0


def closer_look_steps(inquiry: Inquiry) -> int:
    """How far a closer look goes: just beyond the failure."""
    return failing_step(inquiry) + 2


def look_closer(inquiry: Inquiry, candidate: Candidate) -> Experiment:
    """The same run again with every operation watched around the failing step; a fact about the base run."""
    failing = failing_step(inquiry)
    inquiry.show(f"{'smoke':9}  {candidate.change} around step {failing}")
    windows = ((0, 1), (max(0, failing - 1), failing + 2))
    ran = inquiry.run(Bound(max(5.0, inquiry.remaining()), closer_look_steps(inquiry)), trace=windows)
    made = keep(inquiry, ran, relate=False)
    again = made.facts.get(LossCurve)
    came_back = again is not None and isinstance(again[1], LossCurve) and again[1].nonfinite_step == failing
    cites, words = origin_seen(inquiry, made) if came_back else ((), "the failure did not come back at the same step")
    result = Result(Judged("same" if came_back else "not-applied", words), len(made.record.steps), ran.seconds)
    question = inquiry.catalogue.intervention(candidate.change).question
    return put(
        inquiry, "smoke", Change(candidate.change), question, result, inquiry.seen(),
        supplies=candidate.supplies, cites=cites,
    )  # fmt: skip


def origin_seen(inquiry: Inquiry, made: Made) -> tuple[tuple[str, ...], str]:
    """Where the failure came from, put on record as a fact of the base run: inputs first, then operations."""
    for kind in (InputScale, NonfiniteOrigin):
        _, fact = made.facts.get(kind, ("", None))
        if fact is None or (isinstance(fact, InputScale) and not fact.nonfinite):
            continue
        evidence = inquiry.put("observation", made.told[kind], fact)
        return (evidence.id,), made.told[kind]
    return (), "the failure came back, its origin was not seen"


def try_cures(inquiry: Inquiry, cause: str, seen: Seen) -> Experiment:
    """Edits for a cause, one after the other, until one takes effect; that one is the trial fix."""
    inquiry.show(f"{'trial fix':9}  {cause}")
    screen = Association in {
        t for c in inquiry.catalogue.causes[cause].mechanism for t in inquiry.catalogue.checks[c].reads
    }
    cure, result = None, None
    cures = islice(fixes.cures(cause, grounds(inquiry)), MOST_SCREENED)
    for cure in worth_trying(inquiry, cures, cause, seen) if screen else cures:
        if inquiry.remaining() < expected_seconds(inquiry):
            break
        result = none_missed(inquiry, cure) or changed_run(
            inquiry, seen=seen, cure=cure, cause=cause, alters=cure.alters or told_by(inquiry, cause)
        )
        if drawn_by_lot(inquiry, cure, result):
            words = "what was kept is made from no file; another draw of it is no proof"
            result = replace(result, judged=Judged("same", f"{result.judged.detail}; {words}"))
        if result.judged.outcome not in ("not-applied", "new-failure"):
            break
    question = f"Does the cure for {cause} cure it?"
    if cure is None or result is None:
        nothing = Result(Judged("not-applied", "no edit could be written that takes effect"))
        return put(inquiry, "trial fix", Change(f"fix {cause}"), question, nothing, seen, tests=cause)
    name, _, value = (inquiry.catalogue.causes[cause].trial or "").partition("=")
    group = inquiry.catalogue.interventions[name].groups.get(value, "") if name else ""
    stands_for = Change(name, value, group=group).root if name else ""
    change = Change(f"fix {cause}", edits=cure.edits, command=cure.command, stands_for=stands_for)
    return put(inquiry, "trial fix", change, question, result, seen, tests=cause)


def none_missed(inquiry: Inquiry, cure: Cure) -> Result | None:
    """Where files are taken away and the first steps are the same without them: then all of them are."""
    was = inquiry.fact(LossCurve, inquiry.ground)
    if was is None or not cure.edits or not all(edit.removed for edit in cure.edits):
        return None
    task = prepared(inquiry, cure=cure, steps=FIRST_STEPS)
    try:
        made = keep(inquiry, inquiry.counted(inquiry.execute(task.job, task.watch)), relate=False)
    except ScratchError:
        return None
    now = made.facts.get(LossCurve, ("", None))[1]
    ours, theirs = by_step(was), by_step(now) if isinstance(now, LossCurve) else {}
    common = ours.keys() & theirs.keys()
    if len(common) < min(LEAST_COMMON, len(ours)) or any(ours[step] != theirs[step] for step in common):
        return None
    told = f"the losses of the first {len(theirs)} steps are the same to the last digit without what was kept"
    return Result(Judged("same", told), made.end.steps, made.end.seconds, made.facts)


def by_step(curve: LossCurve) -> dict[int, float]:
    return dict(zip(curve.steps or range(len(curve.values)), curve.values, strict=False))


def told_by(inquiry: Inquiry, cause: str) -> str:
    """By what a cure is judged: where its control shows in evaluation, or only there, so does it."""
    trial = inquiry.catalogue.causes[cause].trial
    alters = inquiry.catalogue.intervention(trial).alters if trial else ""
    return alters if alters in ("evaluation", "data") else ""


def worth_trying(inquiry: Inquiry, cures: Iterator[Cure], cause: str, seen: Seen) -> Iterator[Cure]:
    """Cures of data that say by what they are judged as they come; of all others, those that take effect."""
    for cure in cures:
        if not cure.alters:
            yield from screened(inquiry, chain((cure,), cures), cause, seen)
            return
        yield cure


def screened(inquiry: Inquiry, cures: Iterator[Cure], cause: str, seen: Seen) -> Iterator[Cure]:
    """The cures that take effect in a few steps; as many are looked at side by side as the cores carry."""
    size = at_once(inquiry.facts())
    while inquiry.remaining() > expected_seconds(inquiry) and (group := list(islice(cures, size))):
        inquiry.progress(f"screening: {'; '.join(cure.summary for cure in group)}")
        tasks = [prepared(inquiry, cure=cure, steps=SCREENING_STEPS) for cure in group]
        left = together(tasks, inquiry.execute, size)
        results = [
            concluded(inquiry, inquiry.counted(ran), seen, cure, cause) if isinstance(ran, Ran) else ran
            for ran, cure in zip(left, group, strict=True)
        ]
        for cure, result in zip(group, results, strict=True):
            if isinstance(result, ScratchError):
                continue
            if isinstance(result, Exception):
                raise result
            if result.judged.outcome != "not-applied":
                yield cure
