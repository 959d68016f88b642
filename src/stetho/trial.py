"""Experiments: which could be run next, running one, and judging what came of it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stetho import fixes, measure
from stetho.check import Check, judge
from stetho.curves import clearly_lower, shape
from stetho.evidence import Source
from stetho.experiment import Bound, Change, Experiment, ExperimentKind, ExperimentOutcome
from stetho.facts import Association, Fact, InputScale, LearningRate, LossCurve, NonfiniteOrigin, RunEnd
from stetho.fixes import Cure, Grounds
from stetho.inquiry import Facts, Inquiry, gravest, judge_all, map_places, thinned
from stetho.observation import recorded
from stetho.proof import why_not_applied
from stetho.reason import Candidate, Seen, information, predicted, supply_tables
from stetho.recording import Recording

# Below this many bits an experiment would not change the ranking.
LEAST_BITS = 0.02
# Steps in which enough samples pass to see whether labels follow inputs.
SCREENING_STEPS = 60
MOST_SCREENED = 16
# A run longer than this is not repeated whole for each experiment.
LONG_RUN = 20.0
# A stretch of late training shows these by nature; it is well as long as it stays where the run was.
OF_A_WHOLE_RUN = ("loss-flat", "loss-slow")


@dataclass(frozen=True)
class Result:
    """A changed run, judged against the base."""

    outcome: ExperimentOutcome
    detail: str
    before: float | None
    after: float | None
    steps: int
    seconds: float
    facts: Facts


def possible(inquiry: Inquiry, seen: Seen, now: Mapping[str, float]) -> list[Candidate]:
    """Experiments that could tell the standing causes apart, the most bits per second first."""
    end = inquiry.fact(RunEnd)
    if end is None or not end.steps or seen.symptom in ("crash", "killed"):
        return []
    done = {x.change.label for x in seen.experiments} | {x.tests for x in seen.experiments if x.tests}
    seconds = expected_seconds(inquiry)
    found = []
    for change, tests, supplies in _worth_asking(inquiry, seen, now):
        if (tests or change) in done or change in done or told_already(inquiry, change, seen):
            continue
        if supplies is not None:
            tables = supply_tables(inquiry.catalogue, inquiry.catalogue.checks[supplies])
            cost = seconds
        else:
            tables = predicted(inquiry.catalogue, change, tests, symptomatic=seen.symptom != "none")
            cost = seconds * (inquiry.catalogue.intervention(change).cost if tests is None else 1.0)
        bits = information(now, tables)
        if bits >= LEAST_BITS and cost < inquiry.remaining():
            found.append(Candidate(change, tests, supplies, bits, cost))
    return sorted(found, key=lambda c: (-c.rate, c.change))


def told_already(inquiry: Inquiry, change: str, seen: Seen) -> bool:
    """Whether variants of the same change have answered, or been asked twice without an answer."""
    name, _, value = change.partition("=")
    if name not in inquiry.catalogue.interventions:
        return False
    group = inquiry.catalogue.interventions[name].groups.get(value)
    alike = [x for x in seen.experiments if group and x.change.name == name and x.change.group == group]
    return any(x.outcome == "symptom-gone" for x in alike) or len(alike) >= 2


def _worth_asking(
    inquiry: Inquiry, seen: Seen, now: Mapping[str, float]
) -> Iterator[tuple[str, str | None, str | None]]:
    catalogue = inquiry.catalogue
    answers = {j.check: j.outcome for j in seen.judgements}
    failed = {x.tests for x in seen.experiments if x.outcome == "not-applied"}
    if seen.symptom == "loss-nonfinite":
        for one in catalogue.checks.values():
            if one.supplied_by and answers.get(one.id) == "unknown":
                yield one.supplied_by, None, one.id
    offered: set[str] = set()
    for cause_id, probability in now.items():
        cause = catalogue.causes[cause_id]
        if not cause.is_fault or probability < 0.01:
            continue
        shown = [answers.get(c) for c in cause.mechanism]
        if seen.symptom == "none" and not any(_telling(catalogue.checks[c], answers) for c in cause.mechanism):
            continue
        curable = probability > 0.03 and "fired" in shown and cause.id not in failed
        cure = next(fixes.cures(cause.id, grounds(inquiry)), None) if curable else None
        if cure is not None:
            offered.add(cause.trial or "")
            yield f"fix {cause.id}", cause.id, None
        # A change that undoes a mechanism which is not there would not be applied.
        if cause.trial and seen.symptom == "none" and cause.trial not in offered:
            yield cause.trial, None, None
        if cause.trial and "fired" not in shown and shown and catalogue.intervention(cause.trial).id != "lr":
            offered.add(cause.trial)
    if seen.symptom == "none":
        # Nothing to explain: only what a finding points at is worth a run, not a search for trouble.
        return
    names = {n for i in catalogue.interventions.values() for n in i.names} - offered
    for name in sorted(names):
        if any(name in catalogue.causes[c].predicts for c, p in now.items() if p > 0.01):
            yield name, None, None


def _telling(one: Check, answers: Mapping[str, str]) -> bool:
    """A finding that hardly ever fires without its cause."""
    return answers.get(one.id) == "fired" and one.background <= 0.02


def grounds(inquiry: Inquiry) -> Grounds:
    cwd = os.path.realpath(inquiry.request.cwd)
    whole = {k: map_places(f, lambda p: os.path.join(cwd, p)) for k, (_, f) in inquiry.facts().items()}
    return Grounds(whole, inquiry.request.command, cwd, inquiry.experiments())


def step_bound(inquiry: Inquiry) -> int | None:
    """As many steps as the base took; enough beyond a NaN to see it gone; fewer for a long run."""
    end, curve = inquiry.fact(RunEnd, inquiry.ground), inquiry.fact(LossCurve, inquiry.ground)
    if end is None or not end.steps:
        return None
    if curve is not None and curve.nonfinite_step is not None:
        return curve.nonfinite_step * 2 + 60
    if end.seconds > LONG_RUN:
        return max(60, int(end.steps * LONG_RUN / end.seconds))
    return end.steps


def expected_seconds(inquiry: Inquiry) -> float:
    end, bound = inquiry.fact(RunEnd, inquiry.ground), step_bound(inquiry)
    if end is None or not end.steps or bound is None:
        return 10.0
    return max(1.0, end.seconds * min(1.0, bound / end.steps))


def perform(inquiry: Inquiry, candidate: Candidate, seen: Seen) -> Experiment:
    """Run one experiment and put it, with its outcome, on record."""
    if candidate.supplies is not None:
        return look_closer(inquiry, candidate)
    if candidate.tests is not None:
        return try_cures(inquiry, candidate.tests, seen)
    name, _, value = candidate.change.partition("=")
    intervention = inquiry.catalogue.intervention(candidate.change)
    inquiry.show(f"{intervention.kind:9}  {candidate.change}")
    result = changed_run(inquiry, changes=((name, value, intervention.path),), seen=seen)
    kind: ExperimentKind = "smoke" if intervention.kind == "smoke" else "control"
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
    summary = f"{change.label}, {result.steps} steps: {result.detail}"
    curve = result.facts.get(LossCurve)
    fact = thinned(curve[1]) if curve is not None and isinstance(curve[1], LossCurve) else None
    evidence = inquiry.ledger.add_evidence(
        "experiment", summary, source=Source(command=" ".join(change.command or inquiry.request.command)),
        fact=fact, run=number,
    )  # fmt: skip
    experiment = Experiment(
        number, kind, change, question, said, result.outcome, result.detail, round(result.seconds, 2),
        result.steps, result.before, result.after, (evidence.id, *cites), tests, supplies,
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
    steps: int | None = None,
) -> Result:
    """The user's command with one change, judged against the base run on the same seed."""
    command = cure.command if cure is not None and cure.command is not None else inquiry.request.command
    bound = Bound(max(5.0, min(inquiry.remaining(), 30 + 4 * expected_seconds(inquiry))), steps or step_bound(inquiry))
    ran = inquiry.run(
        bound,
        lambda p: inquiry.progress(f"step {p.steps}, {p.seconds:.0f} s"),
        command=command,
        changes=(*inquiry.restores, *changes),
        edits=cure.edits if cure else (),
    )
    try:
        record = recorded(inquiry, ran, f"run{inquiry.runs}-{inquiry.ledger.next_experiment_id()}")
    finally:
        ran.discard()
    taken = measure.taken(measure.main_steps(record))
    end = RunEnd(ran.code, ran.signal, taken, ran.seconds, record.attached, ran.stopped_by)
    facts: dict[type[Fact], tuple[str, Fact]] = {type(f): ("", f) for f, _ in measure.facts(record)}
    facts[RunEnd] = ("", end)
    if cure is not None:
        why_not = "" if took_effect(inquiry, cure, cause, facts) else "the edit did not have its effect"
    else:
        why_not = why_not_applied(record)
    if inquiry.restores and not restored(record):
        why_not = "the kept state was not put back"
    return judged(inquiry, seen, facts, end, why_not)


def restored(record: Recording) -> bool:
    """Whether the state that was kept was put into the run."""
    return any(body.get("why") is None for body in record.of("restored"))


def took_effect(inquiry: Inquiry, cure: Cure, cause: str | None, facts: Facts) -> bool:
    """Whether an edit did what it was meant to: the rate is the new one, or the mechanism is gone."""
    if cure.scales_rate is not None:
        was, rate = inquiry.fact(LearningRate, inquiry.ground), facts.get(LearningRate)
        if was is None or rate is None or not isinstance(rate[1], LearningRate):
            return False
        pairs = ((was.initial, rate[1].initial), (max(was.values), max(rate[1].values)))
        return all(math.isclose(old * cure.scales_rate, new, rel_tol=0.02) for old, new in pairs)
    checks = [inquiry.catalogue.checks[c] for c in inquiry.catalogue.causes[cause or ""].mechanism]
    answers = [judge(c, facts).outcome for c in checks]
    needs = {t for c in checks for t in c.reads}
    if NonfiniteOrigin in needs:
        return "fired" not in answers
    return "fired" not in answers and "quiet" in answers


def judged(inquiry: Inquiry, seen: Seen, facts: Facts, end: RunEnd, why_not: str) -> Result:
    """same, better, worse, symptom gone or a new failure, with noise taken into account."""
    base, curve = inquiry.fact(LossCurve, inquiry.ground), facts.get(LossCurve)
    values = curve[1].values if curve is not None and isinstance(curve[1], LossCurve) else ()
    before = base.values[: len(values)] if base is not None else ()
    one, two = shape(before), shape(values)
    failed = any(not math.isfinite(v) for v in before)
    level = float("nan") if failed else one.end if one else None
    after = (float("nan") if any(not math.isfinite(v) for v in values) else two.end) if two else None

    def result(outcome: ExperimentOutcome, words: str) -> Result:
        return Result(outcome, words, level, after, end.steps, end.seconds, facts)

    if why_not:
        return result("not-applied", why_not)
    symptom = gravest(inquiry.catalogue, judge_all(inquiry.catalogue, facts))
    if inquiry.restores and symptom in OF_A_WHOLE_RUN and not clearly_lower(values, before):
        symptom = "none"
    told = f"final loss {_told(level)} -> {_told(after)}"
    if symptom in ("crash", "killed") and seen.symptom not in ("crash", "killed"):
        return result("new-failure", f"it fails: {symptom}")
    if symptom == "loss-nonfinite" and seen.symptom != "loss-nonfinite":
        return result("new-failure", f"{told}, the loss is no longer finite")
    if two is None:
        return result("undecided", "too few steps to tell")
    # What is not finite is never lower, however low it was before.
    finite = after is not None and math.isfinite(after)
    lower = finite and (failed or clearly_lower(before, values))
    if seen.symptom != "none" and symptom == "none" and lower:
        return result("symptom-gone", f"{told}, {seen.symptom} gone")
    if lower:
        return result("better", f"{told}, clearly lower" + (f", still {symptom}" if symptom != "none" else ""))
    if failed:
        return result("same", f"{told}, still {symptom}")
    if clearly_lower(values, before):
        return result("worse", f"{told}, clearly higher")
    return result("same", f"{told}, no clear difference")


def _told(level: float | None) -> str:
    return "?" if level is None else f"{level:.4g}"


def look_closer(inquiry: Inquiry, candidate: Candidate) -> Experiment:
    """The same run again with every operation watched around the failing step; a fact about the base run."""
    curve = inquiry.fact(LossCurve, inquiry.ground)
    failing = curve.nonfinite_step if curve is not None and curve.nonfinite_step is not None else 0
    inquiry.show(f"{'smoke':9}  {candidate.change} around step {failing}")
    windows = ((0, 1), (max(0, failing - 1), failing + 2))
    ran = inquiry.run(Bound(max(5.0, inquiry.remaining()), failing + 2), trace=windows)
    try:
        record = recorded(inquiry, ran, f"run{inquiry.runs}-{inquiry.ledger.next_experiment_id()}")
    finally:
        ran.discard()
    facts: dict[type[Fact], tuple[str, Fact]] = {type(f): (s, f) for f, s in measure.facts(record, relate=False)}
    again = facts.get(LossCurve)
    came_back = again is not None and isinstance(again[1], LossCurve) and again[1].nonfinite_step == failing
    origin = facts.get(NonfiniteOrigin)
    cites: tuple[str, ...] = ()
    scale = facts.get(InputScale)
    if came_back and scale is not None and isinstance(scale[1], InputScale) and scale[1].nonfinite:
        cites = (inquiry.ledger.add_evidence("observation", scale[0], fact=scale[1], run="base").id,)
    elif came_back and origin is not None:
        cites = (inquiry.ledger.add_evidence("observation", origin[0], fact=origin[1], run="base").id,)
    words = (
        origin[0]
        if cites and origin
        else scale[0]
        if cites and scale
        else "the failure came back, its origin was not seen"
        if came_back
        else ("the failure did not come back at the same step")
    )
    result = Result("same" if came_back else "not-applied", words, None, None, len(record.steps), ran.seconds, {})
    question = inquiry.catalogue.intervention(candidate.change).question
    return put(
        inquiry, "smoke", Change(candidate.change), question, result, inquiry.seen(),
        supplies=candidate.supplies, cites=cites,
    )  # fmt: skip


def try_cures(inquiry: Inquiry, cause: str, seen: Seen) -> Experiment:
    """Edits for a cause, one after the other, until one takes effect; that one is the trial fix."""
    inquiry.show(f"{'trial fix':9}  {cause}")
    screen = Association in {
        t for c in inquiry.catalogue.causes[cause].mechanism for t in inquiry.catalogue.checks[c].reads
    }
    cure, result = None, None
    for tried, cure in enumerate(fixes.cures(cause, grounds(inquiry))):
        if tried >= MOST_SCREENED or inquiry.remaining() < expected_seconds(inquiry):
            break
        if screen:
            inquiry.progress(f"edit {tried + 1}: {cure.summary}")
            quick = changed_run(inquiry, seen=seen, cure=cure, cause=cause, steps=SCREENING_STEPS)
            if quick.outcome == "not-applied":
                continue
        result = changed_run(inquiry, seen=seen, cure=cure, cause=cause)
        if result.outcome not in ("not-applied", "new-failure"):
            break
    question = f"Does the cure for {cause} cure it?"
    if cure is None or result is None:
        nothing = Result("not-applied", "no edit could be written that takes effect", None, None, 0, 0.0, {})
        return put(inquiry, "trial fix", Change(f"fix {cause}"), question, nothing, seen, tests=cause)
    name, _, value = (inquiry.catalogue.causes[cause].trial or "").partition("=")
    group = inquiry.catalogue.interventions[name].groups.get(value, "") if name else ""
    stands_for = Change(name, value, group=group).root if name else ""
    change = Change(f"fix {cause}", edits=cure.edits, command=cure.command, stands_for=stands_for)
    return put(inquiry, "trial fix", change, question, result, seen, tests=cause)
