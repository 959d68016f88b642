"""Which experiment to run next: those that could tell the standing causes apart, and what each would cost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from stetho import fixes
from stetho.check import Check
from stetho.cost import expected_seconds
from stetho.facts import RunEnd
from stetho.inquiry import Inquiry
from stetho.reason import Candidate, Seen, information, predicted, supply_tables
from stetho.trial import closer_look_steps, grounds

# Below this many bits an experiment would not change the ranking.
LEAST_BITS = 0.02
# From here on only a test of its own keeps a cause from being claimed.
CERTAIN = 0.9


def possible(inquiry: Inquiry, seen: Seen, now: Mapping[str, float]) -> list[Candidate]:
    """Experiments that the budget allows and that could tell the standing causes apart, the best first."""
    return telling(inquiry, seen, now, inquiry.remaining())


def telling(inquiry: Inquiry, seen: Seen, now: Mapping[str, float], within: float = math.inf) -> list[Candidate]:
    """Experiments of so many seconds that could tell the standing causes apart, the most bits per second first."""
    end = inquiry.fact(RunEnd)
    if end is None or not end.steps or seen.symptom in ("crash", "killed"):
        return []
    done = {x.change.label for x in seen.experiments} | {x.tests for x in seen.experiments if x.tests}
    known = {one.fact: fact for one, (_, fact) in inquiry.facts().items()}
    found = []
    for change, tests, supplies in _worth_asking(inquiry, seen, now):
        if (tests or change) in done or change in done or told_already(inquiry, change, seen):
            continue
        if tests is None and supplies is None and not inquiry.catalogue.intervention(change).fits(known):
            continue
        if supplies is not None:
            tables = supply_tables(inquiry.catalogue, inquiry.catalogue.checks[supplies])
            cost = expected_seconds(inquiry, change, closer_look_steps(inquiry))
        else:
            tables = predicted(inquiry.catalogue, change, tests, symptomatic=seen.symptom != "none")
            cost = expected_seconds(inquiry, change)
        bits = information(now, tables)
        if (bits >= LEAST_BITS or settles(inquiry, now, change, tests)) and cost < within:
            found.append(Candidate(change, tests, supplies, bits, cost))
    return sorted(found, key=lambda c: (-c.rate, c.change))


def settles(inquiry: Inquiry, now: Mapping[str, float], change: str, tests: str | None) -> bool:
    """Whether it is the test that a cause which is as good as certain still lacks: the ranking would not change by it,
    and without it nothing may be claimed."""
    leader, probability = next(iter(now.items()))
    cause = inquiry.catalogue.causes[leader]
    own = (cause.trial, cause.control, cause.outdoes, cause.unhelped_by)
    lacking = (*own, *(control for control, _ in cause.only_with.values()))
    return cause.is_fault and probability >= CERTAIN and (tests == leader or change in lacking)


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
    suspect = inquiry.request.suspect
    # Two causes may share an experiment; what one of them has shown at work is worth it.
    shown_at_work = {
        c.trial
        for c in (catalogue.causes[n] for n, p in now.items() if p >= 0.01)
        if any(answers.get(m) == "fired" for m in c.mechanism)
    }
    for cause_id, probability in now.items():
        cause = catalogue.causes[cause_id]
        if not cause.is_fault or probability < 0.01:
            continue
        shown = [answers.get(c) for c in cause.mechanism]
        telling = any(_telling(catalogue.checks[c], answers) for c in cause.mechanism)
        telling = telling or (cause.asked and "fired" in shown)
        if seen.symptom == "none" and not telling and cause_id != suspect:
            continue
        curable = probability > 0.03 and "fired" in shown and cause.id not in failed
        cure = next(fixes.cures(cause.id, grounds(inquiry)), None) if curable else None
        if cure is not None:
            offered.add(cause.trial or "")
            yield f"fix {cause.id}", cause.id, None
        # A change that undoes a mechanism which is not there would not be applied.
        if cause.trial and seen.symptom == "none" and cause.trial not in offered:
            yield cause.trial, None, None
        if cause.control and seen.symptom == "none":
            yield cause.control, None, None
        if seen.symptom == "none":
            # What the check may fire for beside the cause is ruled out by a control of its own.
            yield from ((c, None, None) for check, (c, _) in cause.only_with.items() if answers.get(check) == "fired")
        if cause.unhelped_by and curable:
            offered.add(cause.unhelped_by)
            yield cause.unhelped_by, None, None
        absent = "fired" not in shown and shown and cause.trial not in shown_at_work
        if cause.trial and absent and catalogue.intervention(cause.trial).id != "lr":
            offered.add(cause.trial)
    if seen.symptom == "none" and suspect is None:
        # Nothing to explain: only what a finding points at is worth a run, not a search for trouble.
        return
    asked = [c for c, p in now.items() if p > 0.01] if suspect is None else [suspect]
    names = {n for i in catalogue.interventions.values() for n in i.names} - offered
    # A cure that only says what it would do to a healthy run has nothing to act on here.
    faults = [catalogue.causes[c] for c in asked if catalogue.causes[c].is_fault]
    idle = {c.trial for c in catalogue.causes.values() if c.mechanism} - shown_at_work
    names = {n for n in names if n not in idle or any(n in c.predicts for c in faults)}
    for name in sorted(names):
        if any(name in catalogue.causes[c].predicts for c in asked):
            yield name, None, None


def _telling(one: Check, answers: Mapping[str, str]) -> bool:
    """A finding that hardly ever fires without its cause."""
    return answers.get(one.id) == "fired" and one.background <= 0.02
