"""Gradients that are written by hand, as a twin has compared them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stetho.facts import HandGradient, HandGradients
from stetho.measure.series import Measured
from stetho.recording import Recording, number

# Of several calls of one function, what one of them says goes before the others.
ORDER = ("stand-in", "identity", "wrong", "right", "unknown")


def hand_gradients(recording: Recording) -> Iterator[Measured]:
    """One entry for each function."""
    told: dict[tuple[str, object], list[HandGradient]] = {}
    for body in recording.of("hand-gradient"):
        if body.get("says") in ORDER:
            told.setdefault((str(body.get("path")), body.get("site")), []).append(_one(recording, body))
    found = tuple(min(calls, key=lambda one: (ORDER.index(one.says), -(one.error or 0.0))) for calls in told.values())
    if found:
        words = ", ".join(f"that of {one.name} is {WORDS[one.says]}" for one in found[:4])
        yield HandGradients(found), f"gradients written by hand: {words}"


WORDS = {
    "right": "the slope", "wrong": "not the slope", "stand-in": "a stand-in where the output does not move",
    "identity": "all that it changes", "unknown": "not known",
}  # fmt: skip


def _one(recording: Recording, body: dict[str, Any]) -> HandGradient:
    return HandGradient(
        name=str(body.get("name") or "function"),
        path=str(body.get("path") or ""),
        says=str(body["says"]),
        where=recording.place(body.get("site")),
        error=number(body.get("error")),
        input=body.get("input") if isinstance(body.get("input"), int) else None,
        places=int(body.get("places") or 0),
        off=int(body.get("off") or 0),
        written=number(body.get("written")),
        slope=number(body.get("slope")),
        ratio=number(body.get("ratio")),
        why=str(body.get("why") or ""),
    )
