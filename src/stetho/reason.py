"""From findings and experiments to probabilities, the next experiment, and the claim gate."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stetho.catalogue import Catalogue
from stetho.cause import CATEGORY_RATES, NOTHING_WRONG, UNLISTED, Cause, fitting, prior
from stetho.check import Check, Judgement
from stetho.experiment import HELPED, NO_EVIDENCE, Experiment
from stetho.other_cure import (
    CALMS_OTHERWISE,
    CALMS_THOUGH_RIGHT,
    beside_other_cure,
    helped,
    only_calms,
    otherwise_cured,
    unmatched,
)

# No outcome is so unlikely under a cause that one finding could rule it out alone.
FLOOR = 0.02
# A symptom is seen on hardly any run that does not have it.
SYMPTOM_FLOOR = 0.004
# How often a fault that mostly has a graver symptom shows by a mild one only.
MILDER = 0.1
# An unlisted fault makes any check fire about this often.
UNLISTED_FIRES = 0.10
# What a trial fix does under the cause it cures, and under any other.
CURED: Mapping[str, float] = {
    "symptom-gone": 0.76,
    "better": 0.17,
    "same": 0.04,
    "worse": 0.02,
    "new-failure": 0.01,
}
NOT_CURED: Mapping[str, float] = {
    "symptom-gone": 0.03,
    "better": 0.03,
    "same": 0.73,
    "worse": 0.13,
    "new-failure": 0.08,
}
# Of two controls that both make a run worse, one tells by itself where it does so many times the harm.
OUTWEIGHS = 4.0


@dataclass(frozen=True)
class Seen:
    """Everything the ranking rests on: the gravest symptom, the checks' answers, the experiments' outcomes."""

    symptom: str
    judgements: tuple[Judgement, ...]
    experiments: tuple[Experiment, ...]
    circumstances: Mapping[str, bool] = field(default_factory=dict)
    """What kind of run it is, as far as it is known."""


def floored(probability: float) -> float:
    return min(1 - FLOOR, max(FLOOR, probability))


def priors(catalogue: Catalogue, circumstances: Mapping[str, bool] | None = None) -> dict[str, float]:
    """Base rates; the share of each category that no listed cause takes belongs to the unlisted fault."""
    weights = {c.id: prior(c) * fitting(c, circumstances or {}) for c in catalogue.causes.values()}
    listed = {cat: 0.0 for cat in CATEGORY_RATES}
    for cause in catalogue.causes.values():
        if cause.category in listed:
            listed[cause.category] += cause.share
    faults = 1 - NOTHING_WRONG - UNLISTED
    spare = sum(rate * max(0.0, 1 - listed[cat]) for cat, rate in CATEGORY_RATES.items()) * faults
    weights["other/unlisted"] = weights.get("other/unlisted", UNLISTED) + spare
    total = sum(weights.values())
    return {cause: weight / total for cause, weight in weights.items()}


def symptom_likelihood(catalogue: Catalogue, cause: Cause, symptom: str) -> float:
    """P(this is the gravest symptom | cause), from the cause's file, or from the check that tells the same."""
    told = cause.symptoms.get(symptom)
    if told is None:
        told = sum(restated(cause, one) for one in catalogue.checks.values() if one.restates == symptom)
    return min(1 - FLOOR, max(SYMPTOM_FLOOR, told))


def restated(cause: Cause, one: Check) -> float:
    """A symptom that shows where no graver one does; a fault that mostly shows more gravely may show like this, too."""
    milder = MILDER if cause.category != "none" else 0.0
    return (cause.symptoms.get("none", 0.0) + milder) * fires(cause, one)


def fires(cause: Cause, one: Check) -> float:
    """P(it fires | cause), from the cause's file, else from the check's, else the check's background."""
    said = cause.predicts.get(one.id, one.given.get(cause.id))
    if isinstance(said, (int, float)):
        return float(said)
    return UNLISTED_FIRES if cause.category == "other" else one.background


def check_likelihood(cause: Cause, one: Check, outcome: str) -> float:
    """P(this answer | cause)."""
    return floored(fires(cause, one) if outcome == "fired" else 1 - fires(cause, one))


def outcome_table(catalogue: Catalogue, cause: Cause, change: str, tests: str | None) -> Mapping[str, float]:
    """The probabilities of an experiment's outcomes under a cause."""
    control = catalogue.causes[tests].trial if tests in catalogue.causes else None
    said = cause.predicts.get(control or change)
    if isinstance(said, Mapping):
        return said
    if tests is not None:
        return CURED if tests == cause.id else cause.otherwise or NOT_CURED
    if cause.otherwise is not None:
        return cause.otherwise
    intervention = catalogue.intervention(change)
    return intervention.backgrounds[change.partition("=")[2]]


def without_symptom(table: Mapping[str, float], *, flatters: bool = False) -> dict[str, float]:
    """A symptom that was never there cannot go away: its share counts as better, or as worse where a fault flatters."""
    merged, counts_as = dict(table), "worse" if flatters else "better"
    merged[counts_as] = merged.get(counts_as, 0.0) + merged.pop("symptom-gone", 0.0)
    return merged


def predicted(
    catalogue: Catalogue, change: str, tests: str | None, *, symptomatic: bool
) -> dict[str, dict[str, float]]:
    """What every cause says an experiment will show, before it runs."""
    tables = {c.id: outcome_table(catalogue, c, change, tests) for c in catalogue.causes.values()}
    flatters = {c.id for c in catalogue.causes.values() if c.flatters}
    return {c: dict(t) if symptomatic else without_symptom(t, flatters=c in flatters) for c, t in tables.items()}


def counted(catalogue: Catalogue, judgements: Iterable[Judgement], symptom: str = "") -> list[Judgement]:
    """One answer per root fact: the one that tells the causes apart most. Symptoms are counted elsewhere."""
    best: dict[str, tuple[float, Judgement]] = {}
    for judgement in judgements:
        one = catalogue.checks[judgement.check]
        if judgement.outcome == "unknown" or one.family == "symptoms" or (symptom and one.restates == symptom):
            continue
        if judgement.outcome == "quiet" and symptom and one.presupposes and symptom not in one.presupposes:
            continue
        values = [check_likelihood(c, one, judgement.outcome) for c in catalogue.causes.values()]
        weight = math.log(max(values) / min(values)) + (1.0 if judgement.outcome == "fired" else 0.0)
        if one.root not in best or weight > best[one.root][0]:
            best[one.root] = (weight, judgement)
    return [judgement for _, judgement in best.values()]


def experiment_likelihood(experiment: Experiment, cause: str) -> float:
    # What was undone beside a good run is a place in the code, of which no cause has anything to say.
    if experiment.outcome in NO_EVIDENCE or experiment.supplies is not None or not experiment.predicted:
        return 1.0
    return floored(experiment.predicted.get(cause, {}).get(experiment.outcome, 0.0))


def posterior(catalogue: Catalogue, seen: Seen) -> dict[str, float]:
    """Bayes' rule: prior times the likelihood of every independent thing that was seen."""
    answers = counted(catalogue, seen.judgements, seen.symptom)
    weights = {}
    base = priors(catalogue, seen.circumstances)
    for cause in catalogue.causes.values():
        weight = base[cause.id] * symptom_likelihood(catalogue, cause, seen.symptom)
        for judgement in answers:
            weight *= check_likelihood(cause, catalogue.checks[judgement.check], judgement.outcome)
        for experiment in independent(seen.experiments):
            weight *= experiment_likelihood(experiment, cause.id)
        weights[cause.id] = weight
    for cause in catalogue.causes.values():
        calms = only_calms(catalogue, seen, cause)
        for other in weights:
            weights[other] *= beside_other_cure(cause, other, seen.experiments)
            if calms:
                weights[other] *= CALMS_THOUGH_RIGHT if other == cause.id else CALMS_OTHERWISE
    total = sum(weights.values())
    ranked = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
    return {cause: weight / total for cause, weight in ranked}


def independent(experiments: Sequence[Experiment]) -> list[Experiment]:
    """Experiments that count: of several variants of one change, the most telling one."""
    best: dict[str, tuple[float, Experiment]] = {}
    for experiment in experiments:
        if experiment.outcome in NO_EVIDENCE:
            continue
        values = [experiment_likelihood(experiment, cause) for cause in experiment.predicted]
        weight = math.log(max(values) / min(values)) if values else 0.0
        root = experiment.change.stands_for or experiment.tests or experiment.change.root
        if root not in best or weight > best[root][0]:
            best[root] = (weight, experiment)
    return [experiment for _, experiment in best.values()]


def information(now: Mapping[str, float], tables: Mapping[str, Mapping[str, float]]) -> float:
    """Mutual information, in bits, between the cause and an outcome under the current posterior."""
    outcomes = {o for table in tables.values() for o in table}
    bits = 0.0
    for outcome in outcomes:
        overall = sum(p * tables[c].get(outcome, 0.0) for c, p in now.items())
        for cause, probability in now.items():
            likely = tables[cause].get(outcome, 0.0)
            if likely > 0 and overall > 0:
                bits += probability * likely * math.log2(likely / overall)
    return max(0.0, bits)


@dataclass(frozen=True)
class Candidate:
    """An experiment that could be run next, and what it would tell per second."""

    change: str
    tests: str | None
    supplies: str | None
    bits: float
    seconds: float

    @property
    def rate(self) -> float:
        return self.bits / max(self.seconds, 0.1)


def supply_tables(catalogue: Catalogue, one: Check) -> dict[str, dict[str, float]]:
    """The outcomes of a closer look, in terms of the check it would supply."""
    tables = {}
    for cause in catalogue.causes.values():
        fires = check_likelihood(cause, one, "fired")
        tables[cause.id] = {"fired": fires, "quiet": 1 - fires}
    return tables


@dataclass(frozen=True)
class Gate:
    """The claim gate's answer for one cause: whether it passes, and if not, at which clause."""

    cause: str
    passes: bool
    reason: str
    mechanism: tuple[str, ...] = ()
    experiments: tuple[str, ...] = ()


def claim_gate(catalogue: Catalogue, seen: Seen, now: Mapping[str, float]) -> Gate:
    """Whether the leading cause may be asserted: mechanism, experiment, no contradiction, probability."""
    leader = next(iter(now))
    cause = catalogue.causes[leader]
    if not cause.is_fault:
        unnamed = "no listed cause explains it"
        return Gate(leader, False, unnamed if cause.category == "other" else "the leading hypothesis is not a fault")
    fired = {j.check for j in seen.judgements if j.outcome == "fired"}
    mechanism = tuple(c for c in cause.mechanism if c in fired)
    if not mechanism:
        wanted = " or ".join(cause.mechanism) or "none is declared"
        return Gate(leader, False, f"no direct evidence of its mechanism ({wanted})")
    contradiction = contradicting(catalogue, seen, cause)
    if contradiction:
        return Gate(leader, False, f"{contradiction} is improbable under it", mechanism)
    rivals = {c: p for c, p in now.items() if c != leader and p > 0.01}
    if cause.category == "hp":
        before = [c for c in rivals if c.split("/")[0] in ("data", "loss", "train", "arch")]
        standing = [
            c
            for c in before
            if not (unseen(catalogue.causes[c], seen) or helped(catalogue.causes[c], seen.experiments))
        ]
        if standing:
            return Gate(leader, False, f"not refuted yet, and to be ruled out first: {', '.join(standing)}", mechanism)
    if now[leader] < 0.9:
        return Gate(leader, False, f"its probability is {100 * now[leader]:.0f} %, below 90 %", mechanism)
    matched = (
        unmatched(cause, seen.experiments)
        or unconfirmed(cause, mechanism, seen.experiments)
        or otherwise_cured(cause, seen.experiments)
    )
    if matched:
        return Gate(leader, False, matched, mechanism)
    if cause.proof_by_artifact and (not cause.proofs or set(mechanism) & set(cause.proofs)):
        return Gate(leader, True, "the artifact itself is proof", mechanism)
    settled = deciding(seen.experiments, leader, rivals, catalogue.causes)
    if not settled:
        names = ", ".join(rivals) or "other/unlisted"
        return Gate(leader, False, f"no experiment favours it 10 to 1 over {names}", mechanism)
    return Gate(leader, True, "mechanism, experiment, no contradiction, probability", mechanism, settled)


def unseen(cause: Cause, seen: Seen) -> bool:
    """Whether everything that would show a cause at work was looked at, and is not there."""
    answers = {j.check: j.outcome for j in seen.judgements}
    return bool(cause.mechanism) and all(answers.get(check) == "quiet" for check in cause.mechanism)


def deciding(
    experiments: Sequence[Experiment], cause: str, rivals: Mapping[str, float], causes: Mapping[str, Cause]
) -> tuple[str, ...]:
    """Applied experiments that favour the cause at least 10 to 1 over every rival still above one percent.

    The unlisted fault is always among them, however improbable it has become. Where a rival's own cure has been tried
    as well, and must outdo this change, what came of both counts together.
    """

    def favours(x: Experiment, rival: str) -> bool:
        other = causes.get(rival)
        together = other is not None and other.outdoes == x.change.label
        mine, theirs = (beside_other_cure(other, c, experiments) if other and together else 1.0 for c in (cause, rival))
        return experiment_likelihood(x, cause) * mine >= 10 * experiment_likelihood(x, rival) * theirs - 1e-9

    return tuple(
        x.id
        for x in experiments
        if x.outcome not in NO_EVIDENCE
        and x.supplies is None
        and all(favours(x, rival) for rival in {*rivals, "other/unlisted"})
    )


def unconfirmed(cause: Cause, mechanism: Sequence[str], experiments: Sequence[Experiment]) -> str:
    """Why what was seen may still be harmless, where every check that fired is one that needs a control beside it."""
    told = {x.change.label: x.outcome for x in experiments if x.outcome not in NO_EVIDENCE}
    needed = [cause.only_with.get(check) for check in mechanism]
    cured = any(x.tests == cause.id and x.outcome in HELPED for x in experiments)
    if cured or any(need is None or told.get(need[0]) == need[1] for need in needed):
        return ""
    if any(need is not None and outweighs(cause, need[0], experiments) for need in needed):
        return ""
    control, answer = next(need for need in needed if need is not None)
    if control in told:
        return f"{mechanism[0]} is harmless where {control} does not leave a run the {answer}: it is {told[control]}"
    return f"{mechanism[0]} may be harmless, and {control} has not told yet"


def outweighs(cause: Cause, beside_it: str, experiments: Sequence[Experiment]) -> bool:
    """Whether the control of a cause does the run many times the harm that the one beside it does."""
    told = {x.change.label: x for x in experiments if x.outcome not in NO_EVIDENCE}
    ours, theirs = told.get(cause.control or ""), told.get(beside_it)
    if ours is None or theirs is None or {ours.outcome, theirs.outcome} != {"worse"} or ours.measure != theirs.measure:
        return False
    if None in (ours.before, ours.after, theirs.before, theirs.after):
        return False
    harm = [abs((x.after or 0.0) - (x.before or 0.0)) for x in (ours, theirs)]
    return harm[0] >= OUTWEIGHS * harm[1]


def contradicting(catalogue: Catalogue, seen: Seen, cause: Cause) -> str | None:
    """The first thing seen that the cause calls as good as impossible."""
    if symptom_likelihood(catalogue, cause, seen.symptom) <= FLOOR:
        return f"the symptom {seen.symptom}"
    for judgement in counted(catalogue, seen.judgements, seen.symptom):
        if judgement.outcome == "unknown":
            continue
        one = catalogue.checks[judgement.check]
        spoken = one.id in cause.predicts or cause.id in one.given
        if spoken and check_likelihood(cause, one, judgement.outcome) <= FLOOR:
            return f"{judgement.check} ({judgement.outcome})"
    for experiment in independent(seen.experiments):
        # What a change that it says nothing about does to a run that is broken anyway contradicts nothing.
        spoken = experiment.predicted.get(cause.id) != experiment.predicted.get("other/unlisted")
        if spoken and experiment_likelihood(experiment, cause.id) <= FLOOR:
            return f"{experiment.id} ({experiment.outcome})"
    return None
