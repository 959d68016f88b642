"""More than one cause: what is established stays cured, and what remains is looked into in the same way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import takewhile

from stetho import edited, fixes
from stetho.conclusion import cured, rank, trial_fix, verdict
from stetho.cost import expected_seconds
from stetho.experiment import Carried, Experiment
from stetho.facts import RunEnd
from stetho.inquiry import BASE, Inquiry
from stetho.observation import observe
from stetho.regression import answer
from stetho.verdict import Fix, Further, Remains, Trial, Verdict

# Causes that are looked for in one run; of more, a person would rather hear after these are cured.
MOST = 5
# A change that only shows what it would be like without something is no cure.
NO_CURE = ("time",)
NO_CURE_APPLIED = "no cure of it could be applied, so what else may be wrong was not looked at"
NO_TIME = "no time was left to look at what remains; a larger --budget, or stetho cases resume, goes on"
ENOUGH = f"{MOST} causes are enough at once; apply their cures and ask again"


def go_on(inquiry: Inquiry, experiment: Callable[[Inquiry], None]) -> None:
    """As long as a cause is established and its cure applied: observe what remains, and experiment on it."""
    with standing(inquiry):
        while len(inquiry.carried.causes) < MOST and (carried := following(inquiry)) is not None:
            left = inquiry.remaining()
            needed = expected_seconds(inquiry)
            with standing_on(inquiry, carried):
                if not inquiry.observed():
                    if left < needed:
                        return
                    observe(inquiry)
                experiment(inquiry)


@contextmanager
def standing(inquiry: Inquiry) -> Iterator[None]:
    """Whatever is carried within it, afterwards the first run is the one that is judged again."""
    was = inquiry.request, inquiry.base, inquiry.ground, inquiry.carried
    try:
        yield
    finally:
        inquiry.request, inquiry.base, inquiry.ground, inquiry.carried = was


def stand_on(inquiry: Inquiry, carried: Carried) -> None:
    """From here on, runs have these cures in them, and the one that is judged has nothing else."""
    inquiry.carried = carried
    inquiry.base = inquiry.ground = name_of(carried)
    inquiry.request = replace(inquiry.request, command=carried.command or inquiry.request.command)


@contextmanager
def standing_on(inquiry: Inquiry, carried: Carried) -> Iterator[None]:
    """The same, with the user's files read as the cures leave them."""
    stand_on(inquiry, carried)
    with edited.applied(carried.edits):
        yield


def name_of(carried: Carried) -> str:
    """The run with these cures, as the ledger and the recordings call it."""
    return f"{BASE}-{len(carried.causes)}-cured" if carried.causes else BASE


def following(inquiry: Inquiry) -> Carried | None:
    """What is carried once the cause that is established here is cured, too; None where none is, or has no cure."""
    with edited.applied(inquiry.carried.edits):
        _, _, gate = rank(inquiry)
        if not gate.passes:
            return None
        undone = answer.cure(inquiry, gate, answer.regression(inquiry, gate))
        fix = undone or trial_fix(inquiry, gate.cause)
        made = None if fix is not None else applied_at_run_time(inquiry, gate.cause)
    so_far = inquiry.carried
    if fix is not None:
        return replace(
            so_far,
            causes=(*so_far.causes, gate.cause),
            told=(*so_far.told, f"the fix of {gate.cause}"),
            edits=edited.together(so_far.edits, fix.change.edits),
            command=fix.change.command or so_far.command,
        )
    if made is None:
        return None
    return replace(
        so_far,
        causes=(*so_far.causes, gate.cause),
        told=(*so_far.told, f"{made.change.label} for {gate.cause}"),
        changes=(*so_far.changes, change_of(inquiry, made)),
        by_change=(*so_far.by_change, gate.cause),
    )


def applied_at_run_time(inquiry: Inquiry, cause: str) -> Experiment | None:
    """The control that a cause is tried by, where it was made and helped as the cause said it would."""
    trial = inquiry.catalogue.causes[cause].trial
    if trial is None or inquiry.catalogue.intervention(trial).kind == "smoke":
        return None
    if inquiry.catalogue.intervention(trial).alters in NO_CURE:
        return None
    made = [x for x in inquiry.experiments() if x.change.label == trial and cured(replace(x, tests=cause))]
    return made[-1] if made else None


def change_of(inquiry: Inquiry, made: Experiment) -> tuple[str, str, str]:
    """A change as it was made in an experiment."""
    intervention = inquiry.catalogue.intervention(made.change.label)
    known = {one.fact: fact for one, (_, fact) in inquiry.facts().items()}
    return made.change.name, made.change.value or intervention.chosen(known), intervention.path


def completed(inquiry: Inquiry, first: Verdict) -> Verdict:
    """The verdict of the first run with all that was established of what remains; it rests on the ledger alone."""
    if not inquiry.request.all_causes or first.claim is None:
        return first
    rounds, whole = [first], [inquiry.carried]
    trials: list[Experiment | None] = []
    with standing(inquiry):
        while len(whole) <= MOST and (carried := following(inquiry)) is not None:
            claim = rounds[-1].claim
            trials.append(trial_fix(inquiry, claim.cause) if claim is not None else None)
            whole.append(carried)
            with standing_on(inquiry, carried):
                if not inquiry.observed():
                    break
                rounds.append(verdict(inquiry))
    left = [remains(inquiry, one, carried) for one, carried in zip(rounds[1:], whole[1:], strict=False)]
    if rounds[-1].claim is not None:
        left.append(unseen(whole, rounds))
    claimed = [one for one in rounds[1:] if one.claim is not None]
    also = tuple(
        Further(**vars(one.claim), fix=one.fix, remains=after)
        for one, after in zip(claimed, left[1:], strict=False)
        if one.claim is not None
    )
    return replace(
        first,
        experiments=tuple(x for one in rounds for x in one.experiments),
        evidence=inquiry.ledger.evidence(),
        fix=combined(inquiry, first, trials, rounds),
        next=rounds[-1].next if rounds[-1].status in ("suspected", "unknown") else first.next,
        remains=left[0] if left else None,
        also=also,
    )


def cures_told(count: int) -> str:
    return {1: "its cure", 2: "both cures"}.get(count, f"all {count} cures")


def remains(inquiry: Inquiry, one: Verdict, carried: Carried) -> Remains:
    """What the run with cures shows, in a sentence."""
    head = f"with {cures_told(len(carried.causes))} applied:"
    end = inquiry.facts(name_of(carried)).get(RunEnd)
    symptoms = tuple(
        replace(s, summary=edited.in_users_lines(s.summary, carried.edits, inquiry.request.cwd)) for s in one.symptoms
    )
    evidence = symptoms[0].evidence if symptoms else (end[0],) if end is not None else ()
    return Remains(one.status, f"{head} {shown(one)}", carried.told, symptoms, evidence, one.next)


def shown(one: Verdict) -> str:
    """Whether a run with cures is clear, or which problem it still has."""
    if one.status == "clear":
        return "clear"
    seen = f"{one.symptoms[0].id}: {one.symptoms[0].summary}" if one.symptoms else ""
    if one.claim is not None:
        return f"a problem remains: {seen or one.claim.cause}"
    top = one.hypotheses[0] if one.hypotheses and one.status == "suspected" else None
    suspected = f"{top.cause} is suspected, {100 * top.probability:.0f} %" if top is not None else "no cause leads"
    why = f"; {suspected}, and nothing more is claimed: {one.not_claimed}"
    return f"a problem remains: {seen}{why}" if seen else f"no symptom is left{why}"


def unseen(whole: Sequence[Carried], rounds: Sequence[Verdict]) -> Remains:
    """Why what remains with the last cure applied was not looked at."""
    if len(whole) > len(rounds):
        return Remains("unknown", NO_TIME, whole[-1].told)
    return Remains("unknown", ENOUGH if len(rounds) > MOST else NO_CURE_APPLIED, whole[-1].told)


def combined(
    inquiry: Inquiry, first: Verdict, trials: Sequence[Experiment | None], rounds: Sequence[Verdict]
) -> Fix | None:
    """The cures that were tried on top of each other, as one: those up to the first that was made at run time only."""
    told = [one.fix for one in rounds if one.claim is not None]
    offered = [fix for fix in takewhile(lambda fix: fix is not None, told) if fix is not None]
    made = [x for x in takewhile(lambda x: x is not None, trials) if x is not None][: len(offered)]
    offered = offered[: len(made)]
    if len(offered) < 2:
        return first.fix
    edits, command = made[0].change.edits, made[0].change.command
    for one in made[1:]:
        edits, command = edited.together(edits, one.change.edits), one.change.command or command
    diff = fixes.diff(edits, os.path.realpath(inquiry.request.cwd))
    if command is not None:
        diff += f"- {' '.join(inquiry.request.command)}\n+ {' '.join(command)}\n"
    same = len({fix.trial.measure for fix in offered}) == 1
    trial = Trial(
        offered[0].trial.before if same else offered[-1].trial.before,
        offered[-1].trial.after,
        tuple(e for fix in offered for e in fix.trial.evidence),
        offered[-1].trial.measure,
    )
    kind = next((fix.kind for fix in offered if fix.kind == "command"), offered[0].kind)
    return Fix("; ".join(fix.summary for fix in offered), kind, diff, trial, command)
