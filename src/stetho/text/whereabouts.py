"""Which processes and machines a log names as its own, by its first and its last lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stetho.facts import Whereabouts
from stetho.reader import Reading

FIRST = 64 * 1024
MOST = 50
PID = re.compile(rb"(?i:\bpid|\bprocess[ _]id)(?:[ =:#]{1,3}|\": ?)(\d{1,10})\b")
HOST = re.compile(rb"(?i:\b(?:host|hostname|node|nodename|nodelist))(?: {0,8}[=:] {0,3}|\": ?\")([A-Za-z][\w.-]{1,80})")
# What is said of other processes, as by a kernel.
OTHERS = re.compile(rb"(?i:killed process|oom|xid|blocked for|invoked|segfault|zombie|other process)")
NO_HOST = frozenset(("localhost", "none", "null", "true", "false", "unknown", "n"))


def readings(head: bytes, tail: Sequence[bytes]) -> Iterator[Reading]:
    """The fact, where there is something to tell."""
    pids: dict[int, None] = {}
    hosts: dict[str, None] = {}
    for line in (*head[:FIRST].split(b"\n"), *tail):
        if b"id" not in line.lower() and b"o" not in line:
            continue
        line = line[:2000]
        if OTHERS.search(line) is None:
            pids |= dict.fromkeys(int(found) for found in PID.findall(line))
        hosts |= dict.fromkeys(found.decode() for found in HOST.findall(line))
    own = tuple(list(pids)[:MOST])
    named = tuple([host for host in hosts if host.lower() not in NO_HOST][:MOST])
    if own or named:
        words = [
            f"processes {', '.join(map(str, own[:4]))}" if own else "",
            f"on {', '.join(named[:4])}" if named else "",
        ]
        yield Reading(Whereabouts(own, named), f"names as its own {' '.join(part for part in words if part)}")
