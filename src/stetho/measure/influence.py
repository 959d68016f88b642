"""Influence: what of the output changed with what of the input."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stetho.facts import Influence
from stetho.measure.series import Measured
from stetho.recording import Recording


def influence(recording: Recording) -> Iterator[Measured]:
    """What a copy of the process has found; of several models, the one where something is out of order."""
    samples = [b for b in recording.of("influence") if b.get("about") == "samples"]
    future = [b for b in recording.of("influence") if b.get("about") == "future"]
    bent = [b for b in recording.of("influence") if b.get("about") == "affine"]
    if not samples and not future and not bent:
        return
    one: dict[str, Any] = max(samples, key=lambda b: int(b.get("mixed") or 0), default={})
    line: dict[str, Any] = max(bent, key=lambda b: bool(b.get("affine")), default={})
    two: dict[str, Any] = max(future, key=lambda b: int(b.get("leaking") or 0), default={})
    fact = Influence(
        samples=one.get("n"),
        mixed=one.get("mixed"),
        aside=bool(one.get("aside")),
        operation=str(one.get("op") or ""),
        manner=str(one.get("how") or ""),
        mixed_at=recording.places(one.get("site")),
        module=one.get("module"),
        shapes=tuple(tuple(int(n) for n in shape) for shape in one.get("shapes") or ()),
        places=two.get("places"),
        leaking=two.get("leaking"),
        leak_operation=str(two.get("op") or ""),
        leak_at=recording.places(two.get("site")),
        affine=line.get("affine"),
        layers=int(line.get("layers") or 0),
    )
    told = []
    if fact.samples is not None:
        told.append(f"replacing one of {fact.samples} samples changes the output of {fact.mixed} others")
    if fact.places is not None:
        told.append(f"{fact.leaking} of {fact.places} places of a sequence change with what comes after them")
    if fact.affine is not None:
        told.append(f"{fact.layers} layers are {'one linear map' if fact.affine else 'no linear map'}")
    yield fact, "; ".join(told)
