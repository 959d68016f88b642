"""What each cause can come to: a claim with a tried fix, a claim, a proof by an artifact, or a place in the ranking."""

from __future__ import annotations

from collections.abc import Mapping

from stetho import fixes
from stetho.catalogue import Catalogue
from stetho.cause import Cause
from stetho.reason import floored

FIXED, CLAIMED, PROVEN, RANKED, NULL = (
    "establish by experiment, and offer a fix that was tried",
    "establish by experiment, fix in words",
    "establish from what a run left",
    "rank with its evidence",
    "call nothing wrong",
)
LEAST_RATIO = 10.0


def ability(catalogue: Catalogue, cause: Cause) -> str:
    """How far the claim gate can let a cause, by its declaration; empty for the fault without a name."""
    if cause.category == "none":
        return NULL
    if cause.category == "other":
        return ""
    if cause.proof_by_artifact:
        return PROVEN
    if cause.id in fixes.cured():
        return FIXED
    return CLAIMED if cause.mechanism and decisive(catalogue, cause) else RANKED


def decisive(catalogue: Catalogue, cause: Cause) -> bool:
    """Whether an experiment could favour it ten to one over a fault without a name."""
    for name, said in cause.predicts.items():
        if isinstance(said, Mapping):
            plain = catalogue.intervention(name).backgrounds.get(name.partition("=")[2], {})
            if any(floored(p) >= LEAST_RATIO * floored(plain.get(outcome, 0.0)) for outcome, p in said.items()):
                return True
    return False


def abilities(catalogue: Catalogue) -> dict[str, list[str]]:
    """Causes by what they can come to, the most first."""
    found: dict[str, list[str]] = {kind: [] for kind in (FIXED, CLAIMED, PROVEN, RANKED, NULL)}
    for cause in catalogue.causes.values():
        if kind := ability(catalogue, cause):
            found[kind].append(cause.id)
    return found
