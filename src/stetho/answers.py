"""What the answers to questions are made from: settings by what they are called, curves at a step, plain numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence

from stetho.facts import Amount, Config, LoggedCurve, Metrics
from stetho.facts.reported import ConfigValue

OFF = ("", "none", "null", "false", "no", "off", "0", "0.0")


def number(value: float) -> str:
    """A number in at most four digits."""
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else "infinite"
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e9 else f"{value:.4g}"


def settings(config: Config, *spellings: str) -> Iterator[ConfigValue]:
    """The settings whose own name, without what it stands under and without marks, is one of these."""
    for spelling in spellings:
        for value in config.values:
            if re.sub(r"[^a-z0-9]", "", value.key.rpartition(".")[2].lower()) == spelling:
                yield value


def setting(config: Config, *spellings: str) -> str:
    """The first of them as it was written, with its key; empty where there is none, or it is a list or the like."""
    for value in settings(config, *spellings):
        text = " ".join(value.text.split())
        if text and len(text) <= 40 and text[0] not in "[{(<":
            return f"{value.key} {text}"
    return ""


def curves(metrics: Metrics, kind: str, split: str | None = None) -> Iterator[LoggedCurve]:
    """The curves of a kind, those with the most points first."""
    for curve in metrics.curves:
        if curve.kind == kind and (split is None or curve.split == split) and curve.values:
            yield curve


def at(steps: Sequence[int], values: Sequence[float], step: int | None) -> tuple[int, float]:
    """The last point up to a step, or the last one of all."""
    known = [i for i, s in enumerate(steps) if step is None or s <= step]
    place = known[-1] if known else 0
    return steps[place], values[place]


def course(steps: Sequence[int], values: Sequence[float], step: int | None) -> str:
    """A curve in words, up to a step: where it begins, where it stands, and its peak where that lies between."""
    upto = [(s, v) for s, v in zip(steps, values, strict=True) if step is None or s <= step]
    known = [(s, v) for s, v in upto if math.isfinite(v)]
    if not known:
        return ""
    (_, first), (last_step, last) = known[0], known[-1]
    highest_step, highest = max(known, key=lambda point: point[1])
    if all(math.isclose(v, first, rel_tol=1e-6) for _, v in known):
        return f"{number(first)} throughout"
    peak = f", {number(highest)} at step {highest_step}" if highest > 1.5 * max(first, last) else ""
    return f"{number(first)} at first{peak}, {number(last)} at step {last_step}"


def amounts(parts: Iterable[Amount]) -> str:
    """Amounts by name, the largest first."""
    ranked = sorted(parts, key=lambda part: -part.elements)
    return ", ".join(part.kind for part in ranked)
