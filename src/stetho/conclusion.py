"""The verdict, put together from the ledger: status, hypotheses, claim, fix and the next test."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from stetho import edited, fixes
from stetho.bearing import bearing, hypotheses, tried
from stetho.catalogue import Catalogue
from stetho.check import Judgement
from stetho.choice import telling
from stetho.evidence import Place
from stetho.experiment import NO_EVIDENCE, Experiment
from stetho.facts import Crash, LossCurve, Progress, RunEnd
from stetho.inquiry import BASE, Inquiry, gravest, judge_all
from stetho.observation import UNFINISHED
from stetho.question import gather
from stetho.reason import (
    Candidate,
    Gate,
    Seen,
    claim_gate,
    posterior,
)
from stetho.recipe import departures
from stetho.regression import answer
from stetho.suspicion import judged
from stetho.verdict import (
    Claim,
    Cost,
    Fix,
    NextTest,
    Noted,
    Regression,
    Status,
    Symptom,
    Trial,
    Verdict,
)

LONGER = "give it a command that trains with torch, and a --budget long enough for its first optimizer steps"
UNTOLD = "give the run's whole folder or its console output, or observe it: stetho run -- YOUR COMMAND"
NOTHING_LEFT = "compare with a run that works, or observe more of it with a larger --budget"
# The probability from which a cause is suspected, and what will do where it is surely one of those with a name.
SUSPECTED, ONE_OF_SEVERAL, SURELY_NAMED, ALONE = 0.3, 0.15, 0.7, 0.5
# Points of a loss that say something of a run, and the share of its steps at which it has as good as arrived.
LEAST_POINTS, ARRIVED = 8, 0.95
MOST_NEXT = 3
MORE = "the fix helps, and {} is not shown to be gone with it; more may be wrong: stetho why --all goes on from there"
# Symptoms that end a run before all that is wrong with it can show.
BROKEN_OFF = ("loss-nonfinite", "crash", "killed", "hang")


def rank(inquiry: Inquiry) -> tuple[Seen, dict[str, float], Gate]:
    """Judge, rank and ask the claim gate."""
    seen = inquiry.seen()
    now = uncured(posterior(inquiry.catalogue, seen), inquiry.carried.causes)
    return seen, now, upheld(inquiry, seen, claim_gate(inquiry.catalogue, seen, now))


def uncured(now: Mapping[str, float], causes: Sequence[str]) -> dict[str, float]:
    """The ranking without causes that are established and cured already."""
    left = {cause: probability for cause, probability in now.items() if cause not in causes}
    total = sum(left.values())
    return {cause: probability / total for cause, probability in left.items()}


def upheld(inquiry: Inquiry, seen: Seen, gate: Gate) -> Gate:
    """The gate's answer, with one clause more where cures are carried: what one of them may have brought is no claim.

    What is wrong beside another fault was there before its cure: it has shown, or could not show yet.
    """
    if not gate.passes or not inquiry.carried.causes:
        return gate
    before = judge_all(inquiry.catalogue, inquiry.facts(BASE))
    answers = {one.check: one.outcome for one in before}
    shown = [answers.get(check, "unknown") for check in gate.mechanism]
    hidden = "unknown" in shown or gravest(inquiry.catalogue, before) in BROKEN_OFF
    if "fired" in shown or (hidden and not inquiry.carried.changes):
        return gate
    told = " and ".join(inquiry.carried.told)
    return replace(gate, passes=False, reason=f"it was not seen without {told}, which may have brought it")


def verdict(inquiry: Inquiry) -> Verdict:
    """Everything the investigation can say now."""
    seen, now, gate = rank(inquiry)
    status = status_of(inquiry, seen, now, gate)
    silent = nothing_to_judge(inquiry, seen)
    fired = [j for j in seen.judgements if j.outcome == "fired"]
    checks = inquiry.catalogue.checks
    request = inquiry.request
    shown = symptoms(fired, inquiry.catalogue)
    compared = answer.regression(inquiry, gate)
    return Verdict(
        target={"command": list(request.command), "cwd": request.cwd, "seed": request.seed},
        case=str(inquiry.case.path),
        status=status,
        symptoms=shown,
        findings=tuple(
            Noted(j.check, f.message, tuple(_pointed(p) for p in f.where), j.cites)
            for j in fired
            if checks[j.check].family != "symptoms"
            for f in j.findings
        ),
        information=gather(tuple(inquiry.catalogue.questions.values()), inquiry.facts(), shown),
        hypotheses=() if silent else tuple(hypotheses(inquiry.catalogue, seen, now)),
        claim=answer.placed(claim(inquiry, seen, now, gate), compared) if gate.passes else None,
        not_claimed=""
        if gate.passes or status == "clear"
        else answer.with_difference(
            silent or (untested(inquiry, seen) if gate.cause.startswith("none/") else "") or gate.reason, compared
        ),
        evidence=inquiry.ledger.evidence(),
        experiments=tuple(replace(tried(x, now), beside=inquiry.carried.causes) for x in seen.experiments),
        fix=fix(inquiry, gate, compared),
        next=()
        if status in ("established", "clear")
        else (*answer.next_tests(compared), *next_tests(inquiry, seen, now, silent))[:MOST_NEXT],
        cost=spent(inquiry),
        notes=tuple(notes(inquiry, seen, gate)),
        suspicion=None
        if silent or request.suspect is None
        else judged(inquiry.catalogue, seen, now, gate, request.suspect),
        regression=compared,
    )


def spent(inquiry: Inquiry) -> Cost:
    """Time, runs, and steps in those of the first run."""
    end = inquiry.fact(RunEnd)
    equivalents = inquiry.steps / end.steps if end is not None and end.steps else 0.0
    return Cost(round(inquiry.spent(), 1), inquiry.runs, round(equivalents, 2))


def status_of(inquiry: Inquiry, seen: Seen, now: Mapping[str, float], gate: Gate) -> Status:
    if gate.passes:
        return "established"
    leader = next(iter(now))
    if nothing_to_judge(inquiry, seen):
        return "unknown"
    if (
        leader.startswith("none/")
        and not untested(inquiry, seen)
        and sum(p for c, p in now.items() if c.startswith("none/")) >= 0.5
    ):
        # Where a run that was fine does clearly better, something is wrong, symptom or not.
        return "unknown" if answer.worse_than_good(inquiry) else "clear"
    cause = inquiry.catalogue.causes[leader]
    fired = {j.check for j in seen.judgements if j.outcome == "fired"}
    shown = bool(fired.intersection(cause.mechanism))
    if not cause.proof_by_artifact:
        shown = shown or bool(bearing(inquiry.catalogue, seen, leader)[0])
    return "suspected" if cause.is_fault and leads(inquiry.catalogue, now, shown=shown) else "unknown"


def leads(catalogue: Catalogue, now: Mapping[str, float], *, shown: bool) -> bool:
    """Whether the first cause is worth naming: by itself, or as the first of several faults that it is one of.

    Where nothing speaks for it, it must be more likely than all others together.
    """
    leader, first = next(iter(now.items()))
    if not shown:
        return first >= ALONE and not catalogue.causes[leader].proof_by_artifact
    named = sum(probability for cause, probability in now.items() if catalogue.causes[cause].is_fault)
    return first >= SUSPECTED or (first >= ONE_OF_SEVERAL and named >= SURELY_NAMED)


def localised(catalogue: Catalogue, now: Mapping[str, float]) -> bool:
    """Whether a fault with a name leads."""
    return catalogue.causes[next(iter(now))].is_fault and leads(catalogue, now, shown=True)


def untested(inquiry: Inquiry, seen: Seen) -> str:
    """A finding that shows a fault at work and that no experiment has put to the test: then nothing is clear."""
    fired = {j.check for j in seen.judgements if j.outcome == "fired"}
    for cause in inquiry.catalogue.causes.values():
        shown = [c for c in cause.mechanism if c in fired and inquiry.catalogue.checks[c].background <= 0.02]
        asked = [x for x in seen.experiments if x.tests == cause.id or x.change.label in (cause.trial, cause.control)]
        if shown and not any(x.outcome not in NO_EVIDENCE for x in asked):
            return f"{shown[0]} shows {cause.id} at work, and nothing has put it to the test"
    return ""


def nothing_to_judge(inquiry: Inquiry, seen: Seen) -> str:
    """Why there is no usable signal, in one sentence; empty when there is one. Silence is never health."""
    end = inquiry.fact(RunEnd)
    if end is None:
        return "nothing that was found tells how training went; this says nothing about health"
    if seen.symptom != "none":
        return ""
    if end.stopped_by == UNFINISHED and not inquiry.request.command:
        return cut_short(inquiry)
    if end.steps > 0 or by_output_alone(inquiry, end):
        return ""
    if not end.attached:
        return (
            f"the observer was not active: {end.why_not or 'the command never imported torch in a Python it reaches'}"
        )
    how = "within its time" if end.stopped_by == "time" else "before it ended"
    return f"no optimizer stepped {how} ({end.backwards} backward calls were seen), so there is nothing to judge"


def by_output_alone(inquiry: Inquiry, end: RunEnd) -> bool:
    """Whether a run that steps by itself, out of sight, has printed enough of its loss to be judged like a log."""
    curve = inquiry.fact(LossCurve)
    whole = end.attached and end.code == 0 and not end.backwards and end.stopped_by is None
    return whole and curve is not None and curve.logged and len(curve.values) >= LEAST_POINTS


def cut_short(inquiry: Inquiry) -> str:
    """Why a log that just stops says nothing of health: there is too little of it, or it stops on its way."""
    curve, progress = inquiry.fact(LossCurve), inquiry.fact(Progress)
    step, total = (progress.step, progress.total) if progress is not None else (None, None)
    if step is not None and total is not None and step < ARRIVED * total:
        where = f"the log stops at step {step} of {total} and does not say why"
        return f"{where}: the run was ended from outside, or goes on"
    if curve is None or len(curve.values) < LEAST_POINTS:
        return "too little was logged to tell how the run went"
    return ""


def symptoms(fired: list[Judgement], catalogue: Catalogue) -> tuple[Symptom, ...]:
    own = [j for j in fired if catalogue.checks[j.check].family == "symptoms"]
    own.sort(key=lambda j: -catalogue.checks[j.check].severity)
    return tuple(Symptom(j.check, f.message, f.step, j.cites) for j in own for f in j.findings)


def claim(inquiry: Inquiry, seen: Seen, now: Mapping[str, float], gate: Gate) -> Claim:
    cause = inquiry.catalogue.causes[gate.cause]
    shown = [j for j in seen.judgements if j.check in gate.mechanism]
    deciding = [x for x in seen.experiments if x.id in gate.experiments]
    mechanism = tuple(dict.fromkeys(e for j in shown for e in j.cites))
    cites = tuple(dict.fromkeys([*mechanism, *(e for x in deciding for e in x.evidence)]))
    places = [p for x in seen.experiments if x.tests == gate.cause and cured(x) for p in edited_places(inquiry, x)]
    places += [p for j in shown for f in j.findings for p in f.where]
    told = shown[0].findings[0].message
    crash = inquiry.fact(Crash)
    if crash is not None and gate.cause == "env/exception":
        places += list(reversed(crash.frames))
    where = tuple(dict.fromkeys(inquiry.users_place(_pointed(p)) for p in places))
    statement = edited.in_users_lines(f"{cause.statement}: {told}", inquiry.carried.edits, inquiry.request.cwd)
    return Claim(gate.cause, round(now[gate.cause], 3), statement, cites, where, mechanism, gate.experiments)


def cured(experiment: Experiment) -> bool:
    """Whether a cure did what it should; where a fault flatters the results, they are worse without it."""
    expected = experiment.predicted.get(experiment.tests or "", {}).get(experiment.outcome, 0.0)
    return experiment.outcome in ("symptom-gone", "better") or (experiment.outcome == "worse" and expected >= 0.5)


def _pointed(place: Place) -> Place:
    """A place as it is told: of a line of code the key is its function, which is no place of its own."""
    return Place(
        place.file,
        place.line,
        place.column,
        place.key if place.line is None or isinstance(place.column, str) else None,
        place.sample,
    )


def edited_places(inquiry: Inquiry, experiment: Experiment) -> list[Place]:
    edits = experiment.change.edits
    return [p for e in edits for p in e.where or (Place(inquiry.users_path(e.file), e.line),)]


def fix(inquiry: Inquiry, gate: Gate, compared: Regression | None) -> Fix | None:
    """What was tried last and helped: for a claim its cure, or the difference to a good run that brings it."""
    undone = answer.cure(inquiry, gate, compared)
    best = undone or (trial_fix(inquiry, gate.cause) if gate.passes else None)
    return None if best is None else fix_of(inquiry, best, compared if best is undone else None)


def trial_fix(inquiry: Inquiry, cause: str) -> Experiment | None:
    """The edit for a cause that was tried last and helped."""
    trials = [x for x in inquiry.experiments() if x.tests == cause and cured(x)]
    return trials[-1] if trials else None


def fix_of(inquiry: Inquiry, best: Experiment, compared: Regression | None) -> Fix:
    """Exactly what an experiment has applied, as it is offered."""
    change, command = best.change, best.change.command
    trial = Trial(best.before, best.after, best.evidence, best.measure)
    diff = fixes.diff(change.edits, os.path.realpath(inquiry.request.cwd))
    if command is not None:
        old, new = " ".join(inquiry.request.command), " ".join(command)
        return Fix(f"run it as: {new}", "command", f"{diff}- {old}\n+ {new}\n", trial, command)
    if compared is not None:
        undo = "; ".join(one.undo for one in compared.differences)
        kinds: dict[str, Literal["code", "config", "data"]] = {"config": "config", "data": "data"}
        return Fix(undo, kinds.get(compared.differences[0].kind, "code"), diff, trial)
    file = change.edits[0].file
    kind: Literal["code", "config", "data"] = "code" if file.endswith(".py") else "config"
    kind = "data" if change.edits[0].where else kind
    line = "" if kind == "data" else f":{change.edits[0].line}"
    return Fix(f"{inquiry.users_path(file)}{line}  {change.edits[0].why}", kind, diff, trial)


def next_tests(inquiry: Inquiry, seen: Seen, now: Mapping[str, float], silent: str) -> list[NextTest]:
    """The experiments that would still tell most, whatever they cost; else what would refute the leading hypotheses."""
    if silent:
        return [NextTest(LONGER if inquiry.request.command else UNTOLD)]
    leaders = tuple(c for c in now if inquiry.catalogue.causes[c].is_fault)[:2]
    answered = [x for x in seen.experiments if x.outcome not in NO_EVIDENCE]
    ran = {x.change.label for x in answered} | {x.tests for x in answered if x.tests}
    found = [
        # How long a run takes that was never made is not known.
        NextTest(_next(inquiry, c), leaders, round(c.seconds, 1) if inquiry.request.command else 0.0)
        for c in distinct(telling(inquiry, seen, now))[:2]
    ]
    for cause in leaders[: 2 if not found else 1]:
        known = inquiry.catalogue.causes[cause]
        if now[cause] > 0.02 and cause not in ran and known.trial not in ran and not known.proof_by_artifact:
            found.append(NextTest(inquiry.catalogue.causes[cause].test, (cause,)))
    if not localised(inquiry.catalogue, now):
        # Nothing is localised: what is known to work is a better guide than the next guess.
        found = [NextTest(one.words) for one in departures(inquiry.facts())[:2]] + found
    if not found and inquiry.request.good is None:
        found.append(NextTest(NOTHING_LEFT))
    return list({one.test: one for one in found}.values())[:MOST_NEXT]


def distinct(candidates: list[Candidate]) -> list[Candidate]:
    """One candidate for each change: a close look may answer several checks at once."""
    return list({one.change: one for one in reversed(candidates)}.values())[::-1]


def _next(inquiry: Inquiry, candidate: Candidate) -> str:
    """How to run the test of a change, and what it asks."""
    change, request = candidate.change, inquiry.request
    asks = "does the cure cure it?" if candidate.tests else inquiry.catalogue.intervention(change).question
    # What a dead run left can be read and not run: the command that made it can.
    command = shlex.join(request.command) or "YOUR COMMAND"
    by_itself = bool(request.command) and request.experiments and request.suspect is None
    if by_itself and candidate.seconds >= inquiry.remaining():
        return f"stetho why with a larger --budget: {change} ({asks})"
    if by_itself and candidate.tests:
        # It was affordable and something else was tried first: asked for by name, it comes first.
        return f"stetho why --suspect {candidate.tests} -- {command}: {change} ({asks})"
    return (
        f"stetho why -- {command}: {change} ({asks})"
        if candidate.tests
        else f"stetho try {change} -- {command}: {asks}"
    )


def notes(inquiry: Inquiry, seen: Seen, gate: Gate) -> list[str]:
    found = list(dict.fromkeys(inquiry.ledger.notes()))
    fix = trial_fix(inquiry, gate.cause) if gate.passes else None
    if fix is not None and fix.outcome == "better" and seen.symptom != "none" and not inquiry.request.all_causes:
        found.append(MORE.format(seen.symptom))
    if inquiry.request.symptom:
        known = [j.check for j in seen.judgements if inquiry.catalogue.checks[j.check].family == "symptoms"]
        words = set(re.findall(r"[a-z]+", inquiry.request.symptom.lower()))
        meant = [k for k in known if set(k.split("-")) <= words]
        state = "was looked for and seen" if seen.symptom in meant else "was looked for and not seen"
        found.append(
            f"your hint '{inquiry.request.symptom}' " + (state if meant else "names no known symptom; it was not used")
        )
    return found
