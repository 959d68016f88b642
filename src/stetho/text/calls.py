"""The collective calls in which ranks waited, as their watchdogs and their tracebacks tell it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from stetho.facts import RankCall
from stetho.text.even import text

if TYPE_CHECKING:
    from stetho.text.tracebacks import Raised

WORK = re.compile(r"SeqNum=(?P<sequence>\d{1,15}), OpType=(?P<name>\w{1,40})(?:, NumelIn=(?P<elements>\d{1,15}))?")
RANK = re.compile(r"(?i:\brank) ?(?P<rank>\d{1,6})\b")
GROUP = re.compile(r"\bPG (?:ID )?(?P<group>[\w-]{1,40})")
# A call of torch's own that ranks make together, and what it says when nobody came.
CALLED = re.compile(
    r"torch/distributed/\S*(?:distributed_c10d|nn/functional)\.py "
    r"(?P<name>all_reduce|all_gather\w*|reduce_scatter\w*|broadcast\w*|monitored_barrier|barrier|all_to_all\w*|reduce"
    r"|gather\w*|scatter\w*)$"
)
WAITED = re.compile(r"[Tt]imed ?out|[Tt]imeout")


def plain(name: str) -> str:
    """A collective's name as all backends and languages spell it."""
    name = name.rsplit(":", 1)[-1].lower().removeprefix("_")
    return re.sub(r"into_tensor|_object(?:_list)?|_list|tensor|coalesced|[^a-z]", "", name)


def by_watchdogs(lines: Iterable[tuple[int, bytes]], file: str = "") -> Iterator[RankCall]:
    """What every rank's watchdog says of the call that did not end."""
    for number, raw in lines:
        line = text(raw[:2000])
        work, rank = WORK.search(line), RANK.search(line)
        if work is not None and rank is not None:
            group = GROUP.search(line[: work.start()])
            elements = int(work["elements"]) if work["elements"] else None
            yield RankCall(
                rank["rank"], group["group"] if group else "", int(work["sequence"]), plain(work["name"]), elements,
                file=file, line=number,
            )  # fmt: skip


def by_tracebacks(raised: Iterable[Raised]) -> Iterator[RankCall]:
    """The call in which each rank gave up waiting, by its stack."""
    for one in raised:
        calls = [found["name"] for call in one.calls if (found := CALLED.search(call)) is not None]
        if one.run and calls and WAITED.search(one.message):
            yield RankCall(
                one.run.removeprefix("rank "), "by its stack", None, plain(calls[0]), where=one.where, line=one.line
            )
