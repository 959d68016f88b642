"""What this machine still knows of a dead run, asked only where the run is shown to have happened here."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from stetho.artifact import PASTED
from stetho.cutoff import Job, run_all
from stetho.evidence import Source
from stetho.facts import KernelLog, RunEnd, Whereabouts
from stetho.logged.account import account, told_of
from stetho.logged.known import Known
from stetho.probe import Seen, Target, Unknown
from stetho.probes.disk import parse_mounts
from stetho.probing import bounded, decoded, pieces_of
from stetho.procfs import text_of

if TYPE_CHECKING:
    from stetho.catalogue import Catalogue
    from stetho.logged.ending import Told
    from stetho.logged.runs import Run
    from stetho.series import Series

# Probes that bear on a run which is over, and the seconds that all of them may take.
ASKED = ("kernel", "disk")
SECONDS = 2.5
# Seconds between a log's last line and the moment at which its file was last written.
AT_ONCE = 120.0
# A copy that keeps the time of writing is younger as a file than what it holds.
UNTOUCHED = 5.0
# File systems that only this machine writes to.
OWN_DISKS = frozenset(("ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "overlay", "tmpfs", "apfs", "bcachefs"))


@dataclass(frozen=True)
class Asked:
    """What this machine says of a run: facts, and what it could not say."""

    facts: tuple[Known, ...] = ()
    notes: tuple[str, ...] = ()


def known_here(catalogue: Catalogue, run: Run) -> Asked:
    """All that is known of a run, with what this machine says of it; what was stored before comes as it is."""
    known = account(run)
    if run.known:
        return Asked(tuple(known))
    end = next((one.fact for one in reversed(known) if isinstance(one.fact, RunEnd)), None)
    here = ask(catalogue, told_of(run), [series for _, series in run.series], end)
    return Asked((*known, *here.facts), here.notes)


def ask(catalogue: Catalogue, told: Sequence[Told], series: Sequence[Series], end: RunEnd | None) -> Asked:
    """What the kernel's log and the disk say now of a run that did not end well; nothing where it ran elsewhere."""
    if end is None or end.code == 0 or any(isinstance(one.reading.fact, KernelLog) for one in told):
        return Asked()
    folder, why = where_it_ran(told, series)
    if folder is None:
        return Asked()
    pids = tuple(pid for one in told if isinstance(one.reading.fact, Whereabouts) for pid in one.reading.fact.pids)
    target = Target(folder, family=pids[:20])
    probes = {name: bounded(catalogue.probes[name], SECONDS, target) for name in ASKED if name in catalogue.probes}
    answers = run_all({name: Job(partial(pieces_of, one, target), one.limit) for name, one in probes.items()})
    facts, notes = [], [f"the run happened on this machine ({why}), so that its kernel log and disk were looked at"]
    for name, one in probes.items():
        answer = answers[name]
        if answer.cut_off or answer.error is not None:
            notes.append(f"{name}: unknown, it did not answer within {one.limit:g} s")
            continue
        for piece in decoded(one, answer.value):
            if isinstance(piece, Seen):
                facts.append(Known(piece.fact, piece.summary, Source(command=piece.read)))
            elif isinstance(piece, Unknown):
                notes.append(f"{piece.what}: unknown, {piece.why}")
    return Asked((*facts, *killed_here(facts, end)), tuple(notes))


def killed_here(facts: Sequence[Known], end: RunEnd) -> Iterator[Known]:
    """The end of a run whose own process the kernel killed, when nothing that it wrote says how it ended."""
    for one in facts:
        log = one.fact
        if not isinstance(log, KernelLog) or end.stopped_by is None:
            continue
        kills = [event for event in log.events if event.kind == "oom-kill" and event.pid in log.family]
        if kills:
            words = f"ended by SIGKILL: {kills[-1].text[:200]}"
            yield Known(replace(end, signal="SIGKILL", stopped_by=None), words, one.source)


def where_it_ran(told: Sequence[Told], series: Sequence[Series]) -> tuple[Path | None, str]:
    """The run's folder and what shows that it ran here; None when that is in any doubt."""
    hosts = {name for one in told if isinstance(one.reading.fact, Whereabouts) for name in one.reading.fact.hosts}
    mine = socket.gethostname()
    named = {mine.lower(), mine.split(".")[0].lower()}
    if hosts and not named.intersection(host.lower() for host in hosts):
        return None, ""
    files = [one.artifact for one in told if not one.artifact.folder and one.artifact.name != PASTED]
    logs = {one.path: one for one in files}
    uptime = float((text_of("/proc/uptime") or "0").split()[0])
    for one in sorted(logs.values(), key=lambda artifact: artifact.modified, reverse=True):
        last = max(
            (float(s.times[-1]) for s in series if s.file == one.name and s.times is not None and len(s)), default=0
        )
        if not uptime or one.modified < time.time() - uptime or not as_written(one.path, one.modified, last):
            continue
        if hosts:
            return one.path.parent, f"its log names {mine}"
        if on_own_disk(one.path):
            return one.path.parent, "its log lies on a disk of its own, as it was written"
    return None, ""


def as_written(path: Path, modified: float, last: float) -> bool:
    """Whether a file is as the run left it: written when its last line says, and not touched since."""
    try:
        changed = os.stat(path).st_ctime
    except OSError:
        return False
    offset = time.localtime(modified).tm_gmtoff
    lines = min(abs(modified - last), abs(modified - (last - offset)))
    return abs(changed - modified) <= UNTOUCHED and lines <= AT_ONCE


def on_own_disk(path: Path) -> bool:
    """Whether only this machine writes where a file lies."""
    real = os.path.realpath(path)
    around = [one for one in parse_mounts(text_of("/proc/self/mountinfo") or "") if below(real, one.point)]
    return bool(around) and max(around, key=lambda one: len(one.point)).kind in OWN_DISKS


def below(path: str, point: str) -> bool:
    return path == point or path.startswith(point.rstrip("/") + "/")
