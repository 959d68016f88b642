"""The cure of a cause beside another change that helps as well: which of the two takes more away.

Warm-up and clipping calm a rate that is too high, too. A cause names the change that its own cure must outdo, or one
that must not have helped; and a setting that helps far less than the cure of what was seen only calms it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stetho.cause import Cause
from stetho.experiment import HELPED, NO_EVIDENCE, Experiment

if TYPE_CHECKING:
    from stetho.catalogue import Catalogue
    from stetho.reason import Seen

# By what share of the other's level a cure has to be the better one, where two changes have helped; and how likely that
# is under the cause that it cures, and under any other.
OUTDONE = 0.1
OUTDOES, OUTDOES_BY_CHANCE = 0.9, 0.3
# The same for a cure that leaves at least twice the level of the other one, and more than that by a tenth of what was
# there to be cured: what its cause says keeps the run up is then the smaller part of it.
BEHIND, OF_ALL = 2.0, 0.1
FALLS_BEHIND, FALLS_BEHIND_BY_CHANCE = 0.02, 0.2
# A cure that brings less than this share of what another brings only calms what that one cures; how likely that is
# under the cause that it is the cure of, and under any other.
CALMS = 0.5
CALMS_THOUGH_RIGHT, CALMS_OTHERWISE = 0.05, 0.7


def beside(cause: Cause, experiments: Sequence[Experiment]) -> tuple[Experiment | None, Experiment | None]:
    """The trial of a cause and the change that it has to outdo, as far as they have answered."""
    told = {x.change.label: x for x in experiments if x.outcome not in NO_EVIDENCE}
    return told.get(cause.trial or ""), told.get(cause.outdoes or "")


def both_helped(cause: Cause, experiments: Sequence[Experiment]) -> tuple[Experiment, float, float] | None:
    """The trial of a cause, its level and that of the change that it has to outdo, lower being better; None where not
    both have helped, or are not measured alike."""
    ours, theirs = beside(cause, experiments)
    if ours is None or theirs is None or not {ours.outcome, theirs.outcome} <= set(HELPED):
        return None
    if ours.after is None or theirs.after is None or ours.measure != theirs.measure:
        return None
    sign = 1.0 if ours.measure.startswith("loss") else -1.0
    return ours, sign * ours.after, sign * theirs.after


def outdone(cause: Cause, experiments: Sequence[Experiment]) -> bool | None:
    """Whether the cure does clearly better than the change that it has to outdo; None where not both have helped."""
    found = both_helped(cause, experiments)
    return None if found is None else found[2] - found[1] > OUTDONE * abs(found[2])


def behind(cause: Cause, experiments: Sequence[Experiment]) -> bool:
    """Whether the cure helps, and leaves a good part of what the change that it has to outdo takes away."""
    found = both_helped(cause, experiments)
    if found is None or found[0].before is None or not math.isfinite(found[0].before):
        return False
    trial, ours, theirs = found
    if trial.measure.startswith("loss"):
        return 0 <= BEHIND * theirs <= ours and ours - theirs >= OF_ALL * abs(trial.before or 0.0)
    # Of scores that end at 1, the errors are compared.
    return 0 <= BEHIND * (1 + theirs) <= 1 + ours and ours - theirs >= OF_ALL


def beside_other_cure(cause: Cause, under: str, experiments: Sequence[Experiment]) -> float:
    """P(what came of the cure of a cause beside the change that it has to outdo | another cause, or itself)."""
    better = outdone(cause, experiments)
    if better is None:
        return 1.0
    itself = under == cause.id
    behind_it = FALLS_BEHIND if itself else FALLS_BEHIND_BY_CHANCE
    if behind(cause, experiments):
        return behind_it
    ahead = OUTDOES if itself else OUTDOES_BY_CHANCE
    return ahead if better else 1 - ahead - behind_it


def unmatched(cause: Cause, experiments: Sequence[Experiment]) -> str:
    """Why the cure is not shown to do better than the change that it has to outdo; empty where it is."""
    if cause.outdoes is None:
        return ""
    _, theirs = beside(cause, experiments)
    if theirs is None:
        return f"it is not known whether {cause.outdoes} would do as well"
    helped = theirs.outcome in HELPED
    if not helped or outdone(cause, experiments):
        return ""
    return f"{cause.outdoes} does {'better' if behind(cause, experiments) else 'as well'}"


def only_calms(catalogue: Catalogue, seen: Seen, cause: Cause) -> bool:
    """Whether a setting's cure helps far less than the cure of a fault seen at work: settings calm most faults.

    Both are counted from the unchanged run, by the same measure and in the same direction.
    """
    ours = helped_by(cause, seen.experiments) if cause.category == "hp" else None
    if ours is None:
        return False
    fired = {j.check for j in seen.judgements if j.outcome == "fired"}
    others = [c for c in catalogue.causes.values() if c.category not in ("hp", "none") and fired & set(c.mechanism)]
    theirs = [found for other in others if (found := helped_by(other, seen.experiments)) is not None]
    return any(measure == ours[0] and 0 <= ours[1] / by < CALMS for measure, by in theirs)


def helped_by(cause: Cause, experiments: Sequence[Experiment]) -> tuple[str, float] | None:
    """By which measure a cause's own cure has helped, and by how much; None where none has."""
    for x in experiments:
        own = x.tests == cause.id or (cause.trial is not None and x.change.label == cause.trial)
        if own and x.outcome in HELPED and x.before is not None and x.after is not None and x.after != x.before:
            return x.measure, x.after - x.before
    return None


def helped(cause: Cause, experiments: Sequence[Experiment]) -> bool:
    """Whether the change has helped that helps only where another cause is at fault."""
    return any(
        x.change.label == cause.unhelped_by and x.outcome in HELPED
        for x in experiments
        if cause.unhelped_by is not None
    )


def otherwise_cured(cause: Cause, experiments: Sequence[Experiment]) -> str:
    """Why a cause may not be claimed before a change has failed to help that cures another one; empty where it has."""
    if cause.unhelped_by is None:
        return ""
    if helped(cause, experiments):
        return f"{cause.unhelped_by} helps as well"
    told = [x for x in experiments if x.change.label == cause.unhelped_by and x.outcome not in NO_EVIDENCE]
    return "" if told else f"it is not known whether {cause.unhelped_by} would help"
