"""The words that the terminal text and the report share: percentages, times, places, who is shown."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence

from stetho.evidence import Evidence, Json, Place, Source
from stetho.render.inert import on_one_line
from stetho.verdict import Claim, Cost, Fix, Hypothesis, NextTest, Noted, Parting, Regression, Tried, Verdict

HEADLINES: Mapping[str, str] = {
    "established": "ESTABLISHED",
    "suspected": "SUSPECTED",
    "unknown": "NOT ESTABLISHED",
    "clear": "CLEAR",
}
LEADING_ROWS = 3
MOST_ROWS = 6
MOST_PARTINGS = 3


def percent(probability: float) -> str:
    """A probability as people say it; certainty is never claimed by rounding."""
    if probability < 0.005:
        return "<1 %"
    return ">99 %" if probability > 0.995 else f"{probability * 100:.0f} %"


def seconds(value: float) -> str:
    """A duration with the precision that matters at its size."""
    if value < 10:
        return f"{value:.1f} s"
    if value < 600:
        return f"{value:.0f} s"
    return f"{value / 60:.0f} min" if value < 7200 else f"{value / 3600:.1f} h"


def number(value: float | None) -> str:
    """A loss, or the word for a loss that never came."""
    if value is None:
        return "none"
    return f"{value:.3g}" if math.isfinite(value) else {"nan": "NaN", "inf": "Inf"}.get(str(value), "-Inf")


def place(where: Place) -> str:
    """file:line:column, and the key or sample when that is what to look at."""
    text = str(where) if where.column is None else f"{where}:{where.column}"
    text += f" key {where.key}" if where.key else ""
    text += f" sample {where.sample}" if where.sample else ""
    return on_one_line(text)


def places(where: Sequence[Place]) -> str:
    return ", ".join(dict.fromkeys(place(one) for one in where))


def source(where: Source) -> str:
    """Where evidence was read, in a few words; empty when it does not say."""
    parts = [str(Place(where.file, where.line))] if where.file else []
    parts += [f"step {where.step}"] if where.step is not None else []
    parts += [f"$ {where.command}"] if where.command else []
    return on_one_line(", ".join(parts))


def target(value: Mapping[str, Json]) -> str:
    """What was looked at: the command or the path when the target has one, else all it says."""
    for key in ("command", "path"):
        named = value.get(key)
        if isinstance(named, list):
            return on_one_line(shlex.join(str(part) for part in named))
        if named:
            return on_one_line(str(named))
    return on_one_line(", ".join(f"{key} {part}" for key, part in value.items()))


def cost(value: Cost) -> str:
    if not value.runs:
        return f"{seconds(value.seconds)}, nothing was run"
    told = f"{seconds(value.seconds)}, {value.runs} {'run' if value.runs == 1 else 'runs'}"
    return f"{told}, {value.equivalents:.1f} times the steps of one" if value.runs > 1 and value.equivalents else told


def trial(fix: Fix) -> str:
    """What the trial of a fix showed."""
    before, after = fix.trial.before, fix.trial.after
    if before is None and after is None:
        return "tried with the same seed; no loss was recorded with or without it"
    return f"final {fix.trial.measure} {number(before)} without it, {number(after)} with it, same seed"


def next_test(one: NextTest) -> str:
    """A test to run next, what it tells apart and how long it takes."""
    between = " from ".join(on_one_line(cause) for cause in one.splits[:2])
    tells = f"tells {between}" if len(one.splits) > 1 else between and f"bears on {between}"
    takes = f"about {seconds(one.seconds)}" if one.seconds else ""
    aside = ", ".join(part for part in (tells, takes) if part)
    return on_one_line(one.test) + (f" ({aside})" if aside else "")


def outcome(tried: Tried) -> str:
    """How an experiment came out: the outcome, what was seen, what that says."""
    said = "; ".join(on_one_line(part) for part in (tried.detail, tried.reading) if part)
    return tried.outcome.replace("-", " ") + (f": {said}" if said else "")


def leading(verdict: Verdict) -> Hypothesis | None:
    """The fault at the top of the ranking."""
    return next((one for one in verdict.hypotheses if one.role in ("likely", "subtle")), None)


def hypothesis(verdict: Verdict, cause: str) -> Hypothesis | None:
    return next((one for one in verdict.hypotheses if one.cause == cause), None)


def shown(hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """The rows worth a look: the first few, more while they have a chance, and always the null and other."""
    rows = [
        one
        for rank, one in enumerate(hypotheses)
        if rank < LEADING_ROWS or (rank < MOST_ROWS and one.probability >= 0.01)
    ]
    for role in ("null", "other"):
        first = next((one for one in hypotheses if one.role == role), None)
        if first is not None and first not in rows:
            rows.append(first)
    return rows


def basis(verdict: Verdict, claim: Claim) -> list[tuple[str, tuple[str, ...]]]:
    """What a claim rests on: the mechanism's evidence, then that of its experiments, by kind."""
    found: dict[str, dict[str, None]] = {"mechanism": dict.fromkeys(claim.mechanism)} if claim.mechanism else {}
    for tried in verdict.experiments:
        if tried.id in claim.experiments or set(tried.evidence) & set(claim.experiments):
            found.setdefault(tried.kind, {}).update(dict.fromkeys(tried.evidence or (tried.id,)))
    return [(word, tuple(ids)) for word, ids in found.items()]


def first_looks(verdict: Verdict) -> list[Evidence]:
    """The evidence that says what was looked at: what was read, how the run went, else the first thing there is."""
    read = [one for one in verdict.evidence if one.fact == "records"][-1:]
    ends = [one for one in verdict.evidence if one.fact == "run-end"][:1]
    kinds = ("observation", "reading", "probe")
    others = [one for kind in kinds for one in verdict.evidence if one.kind == kind]
    return [*read, *ends] or others[:1]


def alike(one: Regression) -> str:
    """What both runs have in common, up to where they part."""
    before = one.path[: one.path.index(one.first)] if one.first is not None else one.path
    return ", ".join(part.part for part in before if part.state == "same")


def partings(one: Regression) -> list[tuple[str, Parting]]:
    """The first thing that differs, and the next ones."""
    found = [part for part in one.path if part.state == "differs"]
    return [("differs" if rank == 0 else "then", part) for rank, part in enumerate(found[:MOST_PARTINGS])]


def parting(one: Parting) -> str:
    """What differs, when and where."""
    at = f" at step {one.step}" if one.step is not None else ""
    where = f", {place(one.where)}" if one.where is not None and one.where.file not in one.summary else ""
    return on_one_line(f"{one.part}{at}: {one.summary}{where}")


def noted(verdict: Verdict, but_not: Sequence[str]) -> list[Noted]:
    """The findings that no other line has said already."""
    return [one for one in verdict.findings if not any(one.message in said for said in but_not)]
