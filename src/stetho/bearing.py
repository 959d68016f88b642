"""Hypotheses as a verdict shows them: what speaks for and against each, and what experiments said of them."""

from __future__ import annotations

from collections.abc import Mapping

from stetho.catalogue import Catalogue
from stetho.cause import Cause
from stetho.check import Check
from stetho.experiment import Experiment
from stetho.reason import Seen, check_likelihood, experiment_likelihood, priors
from stetho.verdict import Hypothesis, Role, Tried

SHOWN = 8
FAVOURS = 1.5


def hypotheses(catalogue: Catalogue, seen: Seen, now: Mapping[str, float]) -> list[Hypothesis]:
    base = priors(catalogue, seen.circumstances)
    rows = []
    # The subtle one is always named: what a person in a hurry does not think of.
    subtle = next((c for c in list(now)[1:] if catalogue.causes[c].subtle), None)
    for position, (cause_id, probability) in enumerate(now.items()):
        cause = catalogue.causes[cause_id]
        supports, against, reason = bearing(catalogue, seen, cause_id)
        role: Role = "null" if cause.category == "none" else "other" if cause.category == "other" else "likely"
        if cause.subtle and position > 0:
            role = "subtle"
        keep = position < SHOWN or role in ("null", "other") or cause_id == subtle
        if keep:
            rows.append(
                Hypothesis(
                    cause_id,
                    base[cause_id],
                    probability,
                    role,
                    supports,
                    against,
                    reason,
                    cause.test,
                    cause.fix,
                )
            )
    return rows


def bearing(catalogue: Catalogue, seen: Seen, cause_id: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Evidence for and against a cause compared with an unlisted fault, and the strongest reason in words."""
    cause, other = catalogue.causes[cause_id], catalogue.causes["other/unlisted"]
    supports: dict[str, None] = {}
    against: dict[str, None] = {}
    best, reason = 1.0, ""
    for judgement in seen.judgements:
        one = catalogue.checks[judgement.check]
        spoken = one.id in cause.predicts or cause.id in one.given
        if judgement.outcome == "unknown" or one.family == "symptoms" or not spoken:
            continue
        ratio = check_likelihood(cause, one, judgement.outcome) / check_likelihood(other, one, judgement.outcome)
        if ratio >= FAVOURS and judgement.outcome == "fired":
            supports.update(dict.fromkeys(judgement.cites))
            # What many causes predict alike, as an exception, is no reason to name one of them.
            own = one.id in cause.mechanism or ratio_to_best(catalogue, cause, one) >= 1
            if ratio > best and own:
                best, reason = ratio, judgement.findings[0].message
        elif ratio <= 1 / FAVOURS:
            against.update(dict.fromkeys(judgement.cites))
    for experiment in seen.experiments:
        if experiment.supplies is not None:
            continue
        mine, theirs = (experiment_likelihood(experiment, c) for c in (cause_id, "other/unlisted"))
        if mine / theirs >= FAVOURS:
            supports.update(dict.fromkeys(experiment.evidence))
        elif mine / theirs <= 1 / FAVOURS:
            against.update(dict.fromkeys(experiment.evidence))
    if not reason and not supports:
        reason = (
            f"{next((j.check for j in seen.judgements if j.check in cause.mechanism and j.outcome == 'quiet'), '')}"
        )
        reason = f"{reason} is quiet" if reason else ""
    return tuple(supports), tuple(e for e in against if e not in supports), reason


def ratio_to_best(catalogue: Catalogue, cause: Cause, one: Check) -> float:
    """How likely a check fires under a cause, beside the named fault that it is most likely under."""
    most = max(check_likelihood(c, one, "fired") for c in catalogue.causes.values() if c.is_fault)
    return check_likelihood(cause, one, "fired") / most


def tried(experiment: Experiment, now: Mapping[str, float]) -> Tried:
    standing = {c: t for c, t in experiment.predicted.items() if now.get(c, 0) > 0.002 or c == experiment.tests}
    return Tried(
        experiment.id, experiment.kind, experiment.change.label, experiment.question, standing, experiment.outcome,
        experiment.seconds, experiment.evidence, experiment.detail, reading(experiment, now),
    )  # fmt: skip


def reading(experiment: Experiment, now: Mapping[str, float]) -> str:
    """What the outcome says about the causes that expected something of it."""
    if experiment.outcome in ("not-applied", "undecided"):
        return "no evidence"
    if experiment.supplies is not None:
        return "a closer look, nothing changed"
    ratios = {
        c: experiment_likelihood(experiment, c) / experiment_likelihood(experiment, "other/unlisted")
        for c in experiment.predicted
        if not c.startswith("other")
    }
    favoured = [c for c, r in sorted(ratios.items(), key=lambda i: -i[1]) if r >= 5 and now.get(c, 0) > 0.001][:2]
    opposed = [c for c, r in sorted(ratios.items(), key=lambda i: i[1]) if r <= 0.3 and now.get(c, 0) > 0.0002][:2]
    words = [f"for {', '.join(favoured)}"] if favoured else []
    return "; ".join(words + ([f"against {', '.join(opposed)}"] if opposed else []))
