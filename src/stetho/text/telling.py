"""What a log that was read tells, as facts: how it ended, how far it came, what stands out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stetho.facts import (
    Crash,
    LoggedException,
    Progress,
    RankCalls,
    RunEnd,
    Statement,
    Statements,
    ThreadFailure,
    Tracebacks,
)
from stetho.reader import Reading
from stetho.series import Series
from stetho.text import calls, oddities
from stetho.text.assembly import LARGEST
from stetho.text.launcher import FirstFailure, first_failure, reported
from stetho.text.oddities import LONGEST, short
from stetho.text.stream import EPOCH, EPOCHS, STEP, TOTAL
from stetho.text.tracebacks import Raised

if TYPE_CHECKING:
    from stetho.text.log import Log

BY_RANK = 8
# A launcher may still say a word or two after the program has ended.
LINES_AFTER_THE_END = 3
# Raised in consequence of something else: by a launcher, or by a rank whose peer is gone.
LAUNCHERS = frozenset(
    ("ChildFailedError", "CalledProcessError", "ProcessExitedException", "RayTaskError", "ActorDiedError")
)
CONSEQUENCES = (
    "Connection reset by peer",
    "Connection closed by",
    "Broken pipe",
    "SignalException",
    "remote process exited",
    "Connection refused",
)
# What a launcher's report says of processes that it ended itself.
BY_SIGNAL = {"process-killed": "SIGKILL", "terminated": "SIGTERM"}


def readings(log: Log, series: list[Series]) -> Iterator[Reading]:
    """Every fact, the one that explains most last: of facts of one kind, the last one counts."""
    progress = _progress(log)
    if progress is not None:
        yield Reading(progress, _said_progress(progress), progress.line)
    raised = log.tracebacks.found()
    crash = _crash(log, raised)
    yield from _several(log, raised)
    yield from _in_a_thread(log, raised)
    yield from _calls(log, raised)
    yield from oddities.restarts(log)
    yield from oddities.gap(log)
    yield from oddities.nonfinite(series)
    yield from oddities.warnings(log)
    tail = [(number, line) for _, number, line in log.tail]
    failed = first_failure(tail)
    if crash is not None and crash.exception in LAUNCHERS and failed is not None and failed.signal is not None:
        # The launcher's own exception: what it launched was ended by a signal, and raised nothing.
        crash = None
    status = reported(tail) if failed is None and crash is None else None
    statements = list(_statements(log, failed, status))
    yield from statements
    end = _end(log, crash, progress, failed) or _by_status(status, progress)
    told = (
        Reading(crash, f"{crash.exception}: {crash.message} ({crash.where})", crash.log_line, crash.rank)
        if crash
        else None
    )
    # What follows from another rank's end does not explain this one: the launcher's word comes last.
    if told is not None and end is not None and _follows(crash):
        yield told
        told = None
    if end is not None:
        yield end
    elif crash is None and not any(s.fact.said for s in statements if isinstance(s.fact, Statements)):
        yield from oddities.rare(log)
    if told is not None:
        yield told


def _follows(crash: Crash | None) -> bool:
    """Whether an exception only tells that another process has gone."""
    return crash is not None and any(word in f"{crash.exception}: {crash.message}" for word in CONSEQUENCES)


# --- exceptions ----------------------------------------------------------------------------------------------


def _after(log: Log, one: Raised) -> int:
    return log.spoken - log.spoken_at.get(one.order, log.spoken)


def _crash(log: Log, raised: list[Raised]) -> Crash | None:
    """The exception that counts: the last one, unless it only reports that another has ended a rank."""
    raised = [one for one in raised if not one.thread]
    if not raised:
        return None
    chosen = raised[-1]
    ranks = {one.run for one in raised}
    if chosen.exception in LAUNCHERS or len(ranks) > 1:
        # Of the ranks that fell together, the first one pulled down the others.
        last = {one.run: one for one in raised if one.exception not in LAUNCHERS}
        own = sorted(last.values(), key=lambda one: one.order)
        causes = [one for one in own if not any(word in str(one) for word in CONSEQUENCES)]
        chosen = (causes or own or [chosen])[0]
    return Crash(
        chosen.exception,
        chosen.message,
        chosen.where,
        chosen.frames,
        chosen.line,
        _after(log, chosen),
        chosen.chain,
        chosen.run,
        chosen.code,
        chosen.forward,
        chosen.calls,
    )


def _several(log: Log, raised: list[Raised]) -> Iterator[Reading]:
    if log.tracebacks.count < 2:
        return

    def told(one: Raised) -> LoggedException:
        return LoggedException(
            one.exception, one.message[:LONGEST], one.where, one.line, one.run, one.chain, _after(log, one)
        )

    by_rank = {one.run: one for one in raised if one.run}
    fact = Tracebacks(
        log.tracebacks.count,
        told(raised[0]),
        told(raised[-1]),
        tuple(told(one) for one in sorted(by_rank.values(), key=lambda one: one.order)[:BY_RANK]),
    )
    whose = f" of {len(by_rank)} ranks" if by_rank else ""
    yield Reading(fact, f"{fact.count} tracebacks{whose}, the first one {raised[0]}"[:LONGEST], raised[0].line)


def _in_a_thread(log: Log, raised: list[Raised]) -> Iterator[Reading]:
    """The exception of a thread that is the last thing a log tells."""
    last = raised[-1] if raised else None
    if last is None or not last.thread or _after(log, last) > LINES_AFTER_THE_END:
        return
    fact = ThreadFailure(
        last.thread, last.exception, last.message[:LONGEST], last.where, bool(last.frames), last.line
    )  # fmt: skip
    yield Reading(fact, f"thread {last.thread} ended: {last}"[:LONGEST], last.line)


def _calls(log: Log, raised: list[Raised]) -> Iterator[Reading]:
    """The collective calls in which ranks waited at the end."""
    last = {one.run: one for one in raised}
    found = [*calls.by_watchdogs(log.each), *calls.by_tracebacks(last.values())]
    if found:
        told = ", ".join(f"rank {one.rank} in {one.name}" for one in found[:4])
        yield Reading(RankCalls(tuple(found[:200])), f"ranks that waited: {told}", found[0].line)


# --- the end -------------------------------------------------------------------------------------------------


def _end(log: Log, crash: Crash | None, progress: Progress | None, failed: FirstFailure | None) -> Reading | None:
    """How the run ended, when the log says so in its last words and no exception does."""
    steps = (progress.step if progress is not None else None) or 0
    if failed is not None and (failed.signal is not None or crash is None or crash.lines_after > LINES_AFTER_THE_END):
        who = f"rank {failed.rank}" if failed.rank is not None else "a process"
        how = f"ended by {failed.signal}" if failed.signal else f"ended with code {failed.code}"
        end = RunEnd(code=None if failed.signal else failed.code, signal=failed.signal, steps=steps)
        return Reading(end, f"{who} failed first, {how}, says the launcher", failed.line)
    if crash is not None and crash.lines_after <= LINES_AFTER_THE_END:
        return None
    endings = {phrase.id: phrase.ended for phrase in log.phrases if phrase.ended}
    said = [one for one in log.said.values() if one.phrase in endings]
    final = [one for one in said if log.spoken - one.spoken <= LINES_AFTER_THE_END]
    if not final:
        return None
    # What says why is better than what says that: a signal beats an error, and an error beats a farewell.
    order = {"done": 0, "error": 1, "SIGTERM": 2, "SIGINT": 2}
    best = max(final, key=lambda one: (order.get(endings[one.phrase], 3), one.last_order))
    how = endings[best.phrase]
    if how in ("done", "error"):
        end = RunEnd(code=0 if how == "done" else 1, steps=steps, inferred=True)
        words = f"the log ends with: {short(best.last_text)}"
    else:
        end, words = RunEnd(code=None, signal=how, steps=steps), f"ended by {how}: {short(best.last_text)}"
    return Reading(end, words, best.last)


def _by_status(status: FirstFailure | None, progress: Progress | None) -> Reading | None:
    """The end that only an exit status tells."""
    if status is None:
        return None
    steps = (progress.step if progress is not None else None) or 0
    end = RunEnd(code=None if status.signal else status.code, signal=status.signal, steps=steps)
    how = f"ended by {status.signal}" if status.signal else f"ended with code {status.code}"
    return Reading(end, f"{how}: {status.said}", status.line)


def _progress(log: Log) -> Progress | None:
    """The last step and epoch that the log tells of; what counts further is the training, and not a bar beside it."""
    best: tuple[float, int] | None = None
    found = None
    epoch = epochs = None
    last_epoch = -1
    for stream in log.streams:
        if not stream.orders or (stream.key.row and b"#step" not in stream.key.names):
            continue
        row, order, line = stream.rows[0][-1], int(stream.orders[0][-1]), int(stream.numbers[0][-1])
        if math.isfinite(row[EPOCH - 5]) and order > last_epoch:
            last_epoch, epoch, epochs = order, float(row[EPOCH - 5]), _whole(row[EPOCHS - 5])
        step, total = _whole(row[STEP - 5]), None if stream.key.row else _whole(row[TOTAL - 5])
        if step is None:
            continue
        weight = float(total or step), order
        if best is None or weight > best:
            best, found = weight, (step, total, line)
    if found is None and epoch is None:
        return None
    at = found[2] if found is not None else None
    return Progress(
        found[0] if found is not None else None,
        found[1] if found is not None else None,
        epoch,
        epochs,
        at,
        log.lines - at if at is not None else 0,
    )


def _whole(value: float) -> int | None:
    return int(value) if math.isfinite(value) and abs(value) < LARGEST else None


def _said_progress(progress: Progress) -> str:
    parts = []
    if progress.step is not None:
        parts.append(f"step {progress.step}" + (f" of {progress.total}" if progress.total is not None else ""))
    if progress.epoch is not None:
        parts.append(f"epoch {progress.epoch:g}" + (f" of {progress.epochs}" if progress.epochs is not None else ""))
    return f"came to {', '.join(parts)}"


# --- what was said ------------------------------------------------------------------------------------------


def _statements(log: Log, failed: FirstFailure | None, status: FirstFailure | None) -> Iterator[Reading]:
    # Last words that say nothing of how it ended are only there to be left out.
    empty = {phrase.id for phrase in log.phrases if phrase.farewell and not phrase.ended}
    if failed is not None:
        # A launcher ends the other processes after the first one has failed, and reports that as well.
        empty |= {phrase for phrase, name in BY_SIGNAL.items() if failed.signal != name}
    said: list[Statement] = []
    for one in sorted(log.said.values(), key=lambda one: one.order):
        if one.phrase in empty:
            continue
        again = one.count > 1
        said.append(
            Statement(
                one.phrase,
                short(one.text),
                one.line,
                one.count,
                short(one.last_text) if again else "",
                one.last if again else None,
                log.spoken - one.spoken,
            )
        )
    for phrase, name in BY_SIGNAL.items():
        if status is not None and status.signal == name and phrase not in log.said:
            said.append(Statement(phrase, status.said, status.line))
    if not said:
        # That it says nothing of the kind is known, too.
        yield Reading(Statements(), "says nothing that is known by its words")
        return
    told = {phrase.id: phrase.says for phrase in log.phrases}
    summary = "says: " + "; ".join(told.get(one.phrase, one.phrase) for one in said)
    yield Reading(Statements(tuple(said)), summary[:LONGEST], said[-1].line)
