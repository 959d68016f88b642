"""Applied or no evidence: what must be seen of a change before its run says anything."""

from __future__ import annotations

from stetho.intervention import Intervention
from stetho.recording import Applied, Recording

STREAMS = {"torch": "torch's", "numpy": "numpy's", "random": "Python's"}


def why_not_applied(record: Recording, beside: Recording | None = None, *, somewhere: bool = False) -> str:
    """Why a changed run is no evidence, in words; empty when the change was made and its effect was seen.

    `beside` is a run with the other changes of this one and without the change in question: what it counts is theirs.
    A change that is made `somewhere`, where something is wrong, may have nothing to do on the other ranks.
    """
    if record.faults:
        return f"the observer switched itself off: {record.faults[0]}"
    if not record.attached:
        return "the observer was not active"
    ranks = sorted((record.ranks or {record.rank: record}).items())
    others = {
        rank: (beside.ranks.get(rank, beside) if beside is not None else Recording()).applied for rank, _ in ranks
    }
    reasons = {rank: _why_not_here(one, others[rank]) for rank, one in ranks}
    idle = {rank for rank, one in ranks if one.applied.count <= others[rank].count and not one.applied.contradicted}
    for rank, reason in reasons.items():
        if reason and not (somewhere and rank in idle and len(idle) < len(ranks)):
            return f"{reason} (rank {rank})" if record.ranks else reason
    return ""


def _why_not_here(record: Recording, beside: Applied) -> str:
    applied = record.applied
    if applied.contradicted:
        return applied.contradicted[0]
    if applied.count <= beside.count:
        return "; ".join(applied.refused) or "the change had nothing to act on"
    if applied.verified <= beside.verified:
        return "; ".join(applied.refused) or "the change was made, and its effect was not seen"
    return ""


def moved_streams(base: Recording, changed: Recording) -> tuple[int, str] | None:
    """The first step after which random generators stand elsewhere than in the base run, and whose they are."""
    before = {int(body["step"]): body for body in base.of("streams")}
    for body in changed.of("streams"):
        other = before.get(int(body["step"]))
        moved = [name for key, name in STREAMS.items() if other and other.get(key) != body.get(key)]
        if moved:
            return int(body["step"]), " and ".join(moved)
    return None


def confounded(moved: tuple[int, str] | None, change: Intervention) -> str:
    """Why a run whose random numbers moved is no evidence, in words; empty when they were free to move.

    After the first step nothing that was learned differs yet: what differs by then, the change itself has drawn.
    Later on a program may draw by what it has learned.
    """
    if moved is None or change.moves or moved[0] > 1:
        return ""
    return f"confounded: the change moved {moved[1]} random numbers before it could have any effect"
