"""What a verdict says of the comparison with a good run, and how a claim and the difference bear on each other."""

from __future__ import annotations

from dataclasses import replace

from stetho.experiment import Experiment
from stetho.facts import Divergence, GoodRun, LocatedDifference, PathPart, SmallestDifference
from stetho.inquiry import BASE, Inquiry
from stetho.reason import Gate
from stetho.verdict import Claim, Located, NextTest, Parting, Regression

CURED = ("symptom-gone", "better")
MOST_NAMED = 3
ADVICE = {
    "both-fail": "name an earlier run with --good, one that was fine",
    "good-fails": "name another run with --good, one that is fine",
    "noise": "compare more steps, or with a larger --budget, so that chance does not decide",
    "elsewhere": "compare data, packages and machine with those of the good run",
    "not-tried": "give it a larger --budget, and let it run experiments",
}


def regression(inquiry: Inquiry, gate: Gate) -> Regression | None:
    """The comparison as the verdict shows it; None where no good run was named."""
    facts = inquiry.facts(BASE)
    good, found, smallest = (inquiry.fact(kind) for kind in (GoodRun, Divergence, SmallestDifference))
    if not isinstance(good, GoodRun) or not isinstance(smallest, SmallestDifference):
        return None
    path = tuple(map(_parting, found.parts)) if isinstance(found, Divergence) else ()
    first = next((one for one in path if one.state == "differs"), None)
    cites = [facts[GoodRun][0], *(first.evidence if first is not None else ()), facts[SmallestDifference][0]]
    beside = f"{good.outcome.replace('-', ' ')}, {good.detail}"
    return Regression(
        good.given, good.kind, good.label, beside, smallest.outcome, smallest.told, tuple(cites), first, path,
        smallest.commit, tuple(map(_located, smallest.differences)), good.differences, smallest.experiments,
        gate.cause if explains(smallest, gate) else "",
    )  # fmt: skip


def _parting(one: PathPart) -> Parting:
    return Parting(one.part, one.state, one.told, one.step, one.where, (one.evidence,) if one.evidence else ())


def _located(one: LocatedDifference) -> Located:
    return Located(one.kind, one.told, one.then, one.now, one.undo, one.where)


def explains(smallest: SmallestDifference, gate: Gate) -> bool:
    """Whether what shows a claimed cause at work comes with the difference: all of it is gone once that is undone."""
    return gate.passes and bool(smallest.cure) and set(gate.mechanism) <= set(smallest.gone)


def worse_than_good(inquiry: Inquiry) -> bool:
    good = inquiry.fact(GoodRun)
    return good is not None and good.outcome in CURED


def placed(claim: Claim, compared: Regression | None) -> Claim:
    """A claim with the difference as its first place, where the difference brings it."""
    if compared is None or not compared.explains:
        return claim
    places = [one.where for one in compared.differences if one.where is not None]
    cites = dict.fromkeys([*claim.cites, *compared.cites[-1:]])
    return replace(claim, where=tuple(dict.fromkeys([*places, *claim.where])), cites=tuple(cites))


def with_difference(reason: str, compared: Regression | None) -> str:
    """Why nothing is claimed, with the difference that was found all the same."""
    if compared is None or compared.outcome not in ("isolated", "narrowed"):
        return reason
    return f"{reason}; {compared.statement}"


def next_tests(compared: Regression | None) -> list[NextTest]:
    """What to do with what the comparison came to, where no cause is claimed."""
    if compared is None:
        return []
    if compared.outcome in ("isolated", "narrowed"):
        undo = "; ".join(one.undo for one in compared.differences[:MOST_NAMED])
        return [NextTest(f"{undo}, or look into what it changes")]
    advice = ADVICE.get(compared.outcome)
    return [NextTest(f"{advice}: {compared.statement}")] if advice else []


def cure(inquiry: Inquiry, gate: Gate, compared: Regression | None) -> Experiment | None:
    """The run in which the difference alone was undone, where that is what to offer."""
    smallest = inquiry.fact(SmallestDifference)
    if smallest is None or compared is None or not smallest.cure or (gate.passes and not compared.explains):
        return None
    return next((x for x in inquiry.experiments() if x.id == smallest.cure), None)
