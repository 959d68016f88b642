"""All that is known of a run: what was read of it, what its artifacts say together, its curves, and how it ended."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from stetho.artifact import PASTED, Artifact
from stetho.evidence import Source
from stetho.facts import Checkpoint, Checkpoints, Crash, LossCurve, LossScale, Metrics, Records, RunEnd, Statements
from stetho.logged.ending import LINES_AFTER_THE_END, Told, ending
from stetho.logged.known import Known
from stetho.logged.learning import all_facts, settings_in
from stetho.logged.parts import KERNEL, about_this_run, continued_by, outlived_parts
from stetho.logged.plan import with_plan
from stetho.logged.runs import Run
from stetho.logged.runs import metrics as metrics_of
from stetho.logged.said import Beside, with_what_is_said
from stetho.logged.speed import rank_times, with_slowest_rank, with_words
from stetho.logged.stability import configurations, losses_of_ranks, scale_of_loss
from stetho.logged.standing import alone, standing
from stetho.logged.walk import UNREAD
from stetho.reader import Reading
from stetho.series import Series

MOST_CHECKPOINTS = 100
# A checkpoint below this share of the others beside it is smaller than they are.
SMALLER = 0.9


def account(run: Run) -> list[Known]:
    """What is known of a run, in the order in which it counts: of facts of one kind, the last one."""
    if run.known:
        return list(run.known)
    told = told_of(run)
    ranks: dict[int, list[tuple[str, Series]]] = defaultdict(list)
    for rank, form, series in run.apart:
        ranks[rank].append((form, series))
    written = max((left.artifact.modified for left in run.left if metrics_of(left)), default=None)
    together = [*joined(told, written), *configurations(told), *losses_of_ranks(ranks)]
    checkpoints = next((one.fact for one in together if isinstance(one.fact, Checkpoints)), None)
    curves = list(all_facts(run.series, settings_in(run), resumed_at(told)))
    metrics = next((one.fact for one in curves if isinstance(one.fact, Metrics)), None)
    scales = list(scale_of_loss(metrics, told))
    scale = next((one.fact for one in scales if isinstance(one.fact, LossScale)), None)
    known = list(with_what_is_said(Beside(curves, told, checkpoints, scale)))
    known += rank_times([(rank, series) for rank, _, series in run.apart])
    said = [one.reading.fact for one in told if isinstance(one.reading.fact, Statements)]
    known = [*with_words(with_slowest_rank(known), said), *scales]
    end = ending(told, metrics)
    stood = standing(told, (series for _, series in run.series))
    read = [what_was_read(run, metrics, known), *as_read(told, end)]
    return [*read, *together, *known, *stood, *([end] if end is not None else [])]


def as_read(told: Sequence[Told], end: Known | None) -> Iterator[Known]:
    """The readings by themselves; an exception that the program outlived did not end it, and is no longer a crash."""
    failed = end is not None and isinstance(end.fact, RunEnd) and bool(end.fact.code or end.fact.signal)
    for one in told:
        fact = None if outlived(one) and not failed else one.reading.fact
        if not isinstance(fact, RunEnd) and not (fact is not None and alone(fact)):
            yield Known(fact, f"{one.artifact.name}: {one.reading.summary}", one.source)


def what_was_read(run: Run, metrics: Metrics | None, known: Sequence[Known]) -> Known:
    """The files and formats that a run is known from, and which of its numbers is taken for the loss."""
    forms = Counter(left.reader for left in run.left if left.reader != UNREAD)
    files = ", ".join(f"{count} {form}" if count > 1 else form for form, count in forms.most_common())
    curves = metrics.curves if metrics is not None else ()
    loss = next((one for one in known if isinstance(one.fact, LossCurve)), None)
    points = len(loss.fact.values) if loss is not None and isinstance(loss.fact, LossCurve) else 0
    if loss is not None:
        told = f"{len(curves)} {'metric' if len(curves) == 1 else 'metrics'}; the loss is {loss.words}"
    elif curves:
        shown = ", ".join(f"{curve.name} ({curve.points} points)" for curve in curves[:4])
        told = f"{shown}{', …' if len(curves) > 4 else ''}: none of them is known as a loss"
    else:
        told = f"{saved_in(run)}no metric over the run: nothing tells how training went"
    count = sum(forms.values())
    words = f"{count} {'file' if count == 1 else 'files'} ({files}); {told}"
    return Known(Records(count, tuple(sorted(forms)), len(curves), points), words, Source())


def saved_in(run: Run) -> str:
    """The checkpoints of a run in a few words; empty where it left none."""
    facts = [piece.fact for left in run.left for piece in left.pieces if isinstance(piece, Reading)]
    saved = [fact for fact in facts if isinstance(fact, Checkpoint)]
    if not saved:
        return ""
    broken = [one for one in saved if one.state != "whole"]
    state = "whole" if not broken else f"{len(broken)} of them not whole" if len(saved) > 1 else broken[0].state
    return f"{len(saved)} {'checkpoint' if len(saved) == 1 else 'checkpoints'}, {state}; "


def told_of(run: Run) -> list[Told]:
    """The readings of a run, in the order in which they count, each log with what it was to come to."""
    return with_plan(in_order(run), settings_in(run), [series for _, series in run.series])


def resumed_at(told: Sequence[Told]) -> dict[str, list[int]]:
    """The lines at which each log says that it goes on from a checkpoint."""
    found: dict[str, list[int]] = {}
    for one in told:
        for said in one.reading.fact.of("resumed") if isinstance(one.reading.fact, Statements) else ():
            lines = found.setdefault(one.artifact.name, [])
            lines += [line for line in (said.line, said.last_line) if line is not None]
    return found


def in_order(run: Run) -> list[Told]:
    """The readings from the oldest artifact to the newest; what the run outlived, and a kernel's word, count least."""
    after = continued_by(run.left)
    places = sorted(range(len(run.left)), key=lambda at: (-after[at], run.left[at].artifact.modified))
    artifacts = sorted((run.left[at] for at in places), key=lambda left: left.reader != KERNEL)
    told = [
        Told(left.artifact, placed(p, left.artifact))
        for left in artifacts
        for p in left.pieces
        if isinstance(p, Reading)
    ]
    told = about_this_run(run.left, outlived_parts(run.left, told))
    return sorted(told, key=lambda one: not outlived(one))


def placed(reading: Reading, artifact: Artifact) -> Reading:
    """A reading whose statements know the log that they stand in."""
    fact = reading.fact
    if not isinstance(fact, Statements) or artifact.name == PASTED:
        return reading
    return replace(reading, fact=Statements(tuple(replace(one, file=artifact.name) for one in fact.said)))


def outlived(told: Told) -> bool:
    fact = told.reading.fact
    return isinstance(fact, Crash) and fact.lines_after > LINES_AFTER_THE_END


def joined(told: list[Told], written: float | None) -> Iterator[Known]:
    """What all logs say, and all checkpoints of a run whose logs were last written at a time."""
    said = [one for one in told if isinstance(one.reading.fact, Statements)]
    if len(said) > 1:
        statements = [s for one in said if isinstance(one.reading.fact, Statements) for s in one.reading.fact.said]
        words = "; ".join(f"{one.artifact.name}: {one.reading.summary}" for one in said)
        yield Known(Statements(tuple(statements)), words[:2000], said[-1].source)
    saved = [one.reading.fact for one in told if isinstance(one.reading.fact, Checkpoint)]
    if saved:
        saved.sort(key=lambda one: one.modified)
        broken = [one for one in saved if one.state != "whole"]
        words = f"{len(saved)} checkpoints" + "".join(f", {one.file} is {one.state}" for one in broken[:3])
        fact = Checkpoints(tuple(saved[-MOST_CHECKPOINTS:]), tuple(smaller(saved)), written)
        yield Known(fact, words, Source())


def smaller(saved: list[Checkpoint]) -> Iterator[str]:
    """Checkpoints that are clearly smaller than two or more others of their kind in the same folder."""
    for one in saved:
        beside = [o.size for o in saved if o is not one and kind_of(o) == kind_of(one)]
        if len(beside) >= 2 and max(beside) - min(beside) < 0.01 * max(beside) and one.size < SMALLER * min(beside):
            yield one.file


def kind_of(one: Checkpoint) -> tuple[str, str, int | None]:
    return one.format, os.path.dirname(one.file), one.tensors
