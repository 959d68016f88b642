"""A run that was fine, beside the one that fails: both on record, where they part, and which difference does it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from stetho import recording
from stetho.evidence import Source
from stetho.facts import (
    Crash,
    DataFiles,
    Divergence,
    GoodRun,
    LossCurve,
    NonfiniteOrigin,
    PathPart,
    RunEnd,
    SmallestDifference,
)
from stetho.inquiry import BASE, Facts, Inquiry, judge_all, path_from, thinned
from stetho.outcome import Judged
from stetho.patch import MOST
from stetho.recording import Recording
from stetho.regression import surroundings
from stetho.regression.alignment import along
from stetho.regression.history import restricted
from stetho.regression.reference import Reference, only_now, resolve
from stetho.regression.runs import GOOD, Runs, Seen
from stetho.regression.search import Found, Search
from stetho.regression.seeds import over_seeds
from stetho.regression.state import State, differences, edits_of, finer
from stetho.regression.telling import located
from stetho.regression.track import Track
from stetho.yardstick import fact_in

CURED = ("symptom-gone", "better")
OTHER_NUMBERS = "the good run drew other random numbers"


@dataclass(frozen=True)
class Good:
    """The good run, made or read."""

    facts: Facts
    record: Recording
    judged: Judged
    comparable: str = ""
    """Why single numbers cannot be compared; empty where they can."""


def compare(inquiry: Inquiry) -> None:
    """Put the good run, the first difference and the smallest one that matters on record."""
    request = inquiry.request
    if request.good is None or inquiry.fact(SmallestDifference) is not None:
        return
    reference = resolve(request.good, request.command, request.cwd, inquiry.case.path.parent)
    runs, used = Runs(inquiry), used_files(inquiry.record())
    reference = replace(reference, files=restricted(dict(reference.files), request.cwd, used, MOST))
    inquiry.show(f"{'good run':9}  {reference.label}")
    reference, good = from_case(inquiry, runs, reference) if reference.case else made(inquiry, runs, reference, used)
    runs.good = good.facts
    put_good(inquiry, reference, good)
    put_divergence(inquiry, reference, good)
    put_smallest(inquiry, conclusion(inquiry, runs, reference, good, used))


def used_files(record: Recording) -> list[str]:
    """What the failing run has imported or read."""
    imported = [str(file) for body in record.of("sources") for file in body.get("files") or ()]
    read = [str(file) for body in record.of("opened") for file, _ in body.get("read") or ()]
    return list(dict.fromkeys([*read, *imported]))


def made(inquiry: Inquiry, runs: Runs, reference: Reference, used: list[str]) -> tuple[Reference, Good]:
    """The good run, made now; files that came since are taken away only if it is not good with them."""
    new = only_now(reference, used, inquiry.request.cwd)
    for one in (reference, replace(reference, files={**reference.files, **new})) if new else (reference,):
        state = State(edits_of(one.files, one.like), one.command)
        run = runs.observe(state)
        parts = list(along(Track(run.record), Track(inquiry.record())))
        judged = over_seeds(inquiry, runs, state, run, runs.good_beside(run.facts, parts))
        if judged.outcome in CURED:
            return one, Good(run.facts, run.record, judged)
        if one is reference:
            first = Good(run.facts, run.record, judged)
    return reference, first


def from_case(inquiry: Inquiry, runs: Runs, reference: Reference) -> tuple[Reference, Good]:
    """The good run as it was recorded; its numbers compare only where it drew the same random ones."""
    case = reference.case
    assert case is not None
    with case.open_ledger(read_only=True) as ledger:
        other = ledger.request()
        assert other is not None
        held = Inquiry(case, ledger, other, inquiry.catalogue, inquiry.show, inquiry.progress)
        facts = held.facts(BASE)
    record = recording.read(case.recordings / BASE, lambda path: path_from(other.cwd, path))
    seeded = {"torch"} <= {*Track(record).seeds} & {*Track(inquiry.record()).seeds}
    comparable = "" if seeded or other.seed == inquiry.request.seed else OTHER_NUMBERS
    parts = list(along(Track(record), Track(inquiry.record()), comparable))
    judged = runs.good_beside(facts, parts)
    return reference, Good(facts, record, judged, comparable)


def put_good(inquiry: Inquiry, reference: Reference, good: Good) -> None:
    """How the good run went, as evidence."""
    ledger, end, curve = inquiry.ledger, fact_in(good.facts, RunEnd), fact_in(good.facts, LossCurve)
    command = Source(command=" ".join(reference.command))
    if end is not None:
        told = f"good run, {reference.label}: {end.steps} steps in {end.seconds:.1f} s"
        ledger.add_evidence("observation", told, source=command, fact=end, run=GOOD)
    if curve is not None and curve.values:
        told = f"good run: loss {curve.values[0]:.4g} at the first step, {curve.values[-1]:.4g} at the last"
        ledger.add_evidence("observation", told, source=command, fact=thinned(curve), run=GOOD)
    count = len(known_differences(inquiry, reference))
    judged = good.judged
    fact = GoodRun(reference.kind, reference.given, reference.label, judged.outcome, judged.detail, count)
    told = f"beside this run, {reference.label} is {judged.outcome}: {judged.detail}"
    ledger.add_evidence("observation", told, source=command, fact=fact, run=BASE)


def known_differences(inquiry: Inquiry, reference: Reference) -> list[object]:
    return [*finer(differences({}, reference.files, inquiry.request.command, reference.command))]


def put_divergence(inquiry: Inquiry, reference: Reference, good: Good) -> None:
    """Every part that differs as evidence of its own, then all of them in their order."""
    request, bad = inquiry.request, Track(inquiry.record())
    ours = Track(good.record)
    cwd = os.path.realpath(request.cwd)
    parts = [
        surroundings.environment(reference, ours, bad, request.command),
        surroundings.command_line(reference, request.command),
        surroundings.config_keys(reference, cwd),
        surroundings.data_files(reference, cwd, fact_in(good.facts, DataFiles), inquiry.fact(DataFiles)),
        *along(ours, bad, good.comparable),
    ]
    told = tuple(_put_part(inquiry, part) if part.state == "differs" else part for part in parts)
    fact = Divergence(told)
    first = fact.first
    words = f"the first difference is in {_named(first)}: {first.told}" if first is not None else "nothing differs"
    inquiry.ledger.add_evidence("observation", words, fact=fact, run=BASE)


def _put_part(inquiry: Inquiry, part: PathPart) -> PathPart:
    place = part.where
    source = Source(place.file if place else None, place.line if place else None, part.step)
    evidence = inquiry.ledger.add_evidence(
        "observation", f"good run and this one differ in {_named(part)}: {part.told}", source=source, run=BASE
    )
    return replace(part, evidence=evidence.id)


def _named(part: PathPart) -> str:
    return part.part if part.step is None else f"{part.part} at step {part.step}"


def conclusion(inquiry: Inquiry, runs: Runs, reference: Reference, good: Good, used: list[str]) -> SmallestDifference:
    """The search where there is something to search for, else why there is not."""
    undecided = not_worth_it(runs, reference, good)
    if undecided is not None:
        return undecided
    if not inquiry.request.experiments:
        return SmallestDifference("not-tried", f"{reference.label} is fine; what differs was not undone, as asked")
    if reference.case is not None:
        reference, elsewhere = reproduced(inquiry, runs, reference, used)
        if elsewhere is not None:
            return elsewhere
    if inquiry.remaining() < 1:
        return SmallestDifference("not-tried", f"{reference.label} is fine; no time was left to undo what differs")
    return told(inquiry, runs, reference, Search(runs, reference, used).find())


def not_worth_it(runs: Runs, reference: Reference, good: Good) -> SmallestDifference | None:
    """Why the difference between the two runs cannot be searched for."""
    outcome, detail, label = good.judged.outcome, good.judged.detail, reference.label
    if outcome in CURED:
        return None
    if outcome == "new-failure":
        return SmallestDifference("good-fails", f"{label} does not run well itself: {detail}")
    if outcome == "undecided":
        return SmallestDifference("noise", f"{label} and this run cannot be told apart: {detail}")
    if runs.symptom != "none":
        return SmallestDifference("both-fail", f"{label} shows {runs.symptom}, too: {detail}")
    if outcome == "worse":
        return SmallestDifference("good-fails", f"{label} does worse than this run: {detail}")
    return SmallestDifference("neither-fails", f"neither run fails, and they do not clearly differ: {detail}")


def reproduced(
    inquiry: Inquiry, runs: Runs, reference: Reference, used: list[str]
) -> tuple[Reference, SmallestDifference | None]:
    """Whether a case's run is good again with all that is known to differ undone; else it lies elsewhere."""
    new = only_now(reference, used, inquiry.request.cwd)
    for one in (reference, replace(reference, files={**reference.files, **new})) if new else (reference,):
        state = State(edits_of(one.files, one.like), one.command)
        if not state.edits and state.command == inquiry.request.command:
            continue
        if runs.ask(state, f"all as in {one.label}").answer == "good":
            return one, None
    where = "data, packages or the machine"
    if reference.snapshot is None:
        told = f"what the code was in {reference.label} is not on record, so nothing can be undone; name a commit"
    else:
        told = f"code, settings and command as in {reference.label} do not bring it back: it lies elsewhere, in {where}"
    return reference, SmallestDifference("elsewhere", told, experiments=tuple(runs.experiments))


def told(inquiry: Inquiry, runs: Runs, reference: Reference, found: Found) -> SmallestDifference:
    """What the search came to, in one sentence that cites its experiments."""
    cwd = os.path.realpath(inquiry.request.cwd)
    commits = found.commits
    commit = str(commits[0]) if len(commits) == 1 else f"{commits[0].short}..{commits[-1].short}" if commits else ""
    places = located(found.left, found.now, cwd)
    cured = found.alone is not None and found.alone.answer == "good"
    words = "; ".join(one.told for one in places[:3]) + (f" and {len(places) - 3} more" if len(places) > 3 else "")
    named = f"commit {commit}, {words}" if commit else words
    if found.uncommitted:
        named = f"not committed yet, {words}"
    cites = deciding(runs, found)
    outcome = "isolated" if cured and found.whole else "narrowed"
    head = "the smallest difference that matters" if cured else "it turns with"
    tail = "" if cured else "; undoing it in what is there now was not shown to cure it"
    tail += "" if found.whole else "; there was no time to narrow it further"
    shown = f" ({', '.join(cites)})" if cites else ""
    cure = found.alone.experiment if cured and found.alone is not None else ""
    gone = without_it(inquiry, runs, found.alone) if cured and found.alone is not None else ()
    statement = f"{head}: {named}{shown}{tail}"
    return SmallestDifference(outcome, statement, commit, places, tuple(runs.experiments), cure, gone)


def without_it(inquiry: Inquiry, runs: Runs, alone: Seen) -> tuple[str, ...]:
    """The checks that fire in the failing run and no longer do with the difference undone."""
    facts = alone.facts or {}
    fired = [one.check for one in judge_all(inquiry.catalogue, runs.base) if one.outcome == "fired"]
    now = {one.check: one.outcome for one in judge_all(inquiry.catalogue, facts)}
    # Where nothing fails, there is no origin of a NaN and no exception to be quiet about.
    silent = {one.id for one in inquiry.catalogue.checks.values() if {NonfiniteOrigin, Crash} & {*one.reads}}
    return tuple(one for one in fired if now.get(one) == "quiet" or (now.get(one) == "unknown" and one in silent))


def deciding(runs: Runs, found: Found) -> tuple[str, ...]:
    """The last run that still failed, and the one in which nothing but the difference was undone."""
    bad = [one.experiment for one in runs.seen.values() if one.answer == "bad" and one.experiment]
    good = [one.experiment for one in runs.seen.values() if one.answer == "good" and one.experiment]
    alone = [found.alone.experiment] if found.alone is not None and found.alone.experiment else good[-1:]
    return tuple(sorted({*bad[-1:], *alone}, key=lambda id: int(id[1:])))


def put_smallest(inquiry: Inquiry, fact: SmallestDifference) -> None:
    kind = "experiment" if fact.experiments else "observation"
    place = next((one.where for one in fact.differences if one.where is not None), None)
    source = Source(place.file if place else None, place.line if place else None)
    inquiry.ledger.add_evidence(kind, fact.told, source=source, fact=fact, run=BASE)  # type: ignore[arg-type]
