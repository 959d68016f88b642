import re
from collections.abc import Iterator
from itertools import islice

from stetho import kernel_log
from stetho.artifact import Artifact
from stetho.facts import KernelEvent, KernelLog, RunEnd, Statement, Statements
from stetho.reader import Example, Piece, Reading, reader
from stetho.readers.text_log import text_log

# A time in brackets, from dmesg, or the word of the kernel in a system's log.
LINE = re.compile(
    r"^(?:<\d{1,3}>)?\[ *\d{1,9}\.\d{6}\]|^\[\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}\] "
    r"|^\d{1,4},\d{1,20},\d{1,20},[^;]{0,40};"
    r"|^\S.{5,80}? \S+ (?:kernel|systemd|NetworkManager|sshd|dbus-daemon|nvidia-persistenced)(?:\[\d+\])?: "
)
SURELY = re.compile(
    r"\] (?:Linux version|Command line:|Call Trace|CPU: \d+ PID: )| kernel(?:\[\d+\])?: |^\[\w{3} \w{3} "
)
LOOKED_AT, MOST_EVENTS, MOST_LINES, SHARE = 200, 60, 2_000_000, 0.6
OOM = (
    "[  331.500000] python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0\n"
    "[  331.500010] CPU: 11 PID: 4711 Comm: python Not tainted 6.8.0\n"
    "[  331.500130] Out of memory: Killed process 4711 (python) total-vm:9kB, anon-rss:8kB, file-rss:0kB\n"
)
KILLED = KernelEvent(
    "oom-kill", OOM.strip().split("\n")[2].split("] ")[1], 3, uptime=331.50013, pid=4711, process="python",
    resident=8192,
)  # fmt: skip
STALLED = "May 09 12:02:31 node-17 kernel: nfs: server filer not responding, still trying\n"


def _sure(artifact: Artifact) -> float:
    if not artifact.is_text:
        return 0.0
    lines = [line for line in artifact.head[:32768].decode("utf-8", "replace").split("\n") if line.strip()][:LOOKED_AT]
    lines = [line for line in lines if not line.startswith("-- ")]
    alike = [line for line in lines if LINE.match(line)]
    if not alike or len(alike) < SHARE * len(lines):
        return 0.0
    # A program may begin its lines with seconds, too: something of the kernel's own must be said.
    known = any(SURELY.search(line) for line in alike) or any(True for _ in kernel_log.events(alike))
    return 0.9 if known else 0.0


@reader(
    gives=(KernelLog, Statements, RunEnd),
    recognises=_sure,
    examples={
        "a kill for want of memory": Example(
            OOM,
            facts=(
                KernelLog((KILLED,), 3),
                Statements((Statement("oom-kill", OOM.split("\n")[0], 1, 2, OOM.split("\n")[2], 3),)),
                RunEnd(None, "SIGKILL"),
            ),
        ),
        "a journal": Example(
            STALLED,
            facts=(
                KernelLog(
                    (
                        KernelEvent(
                            "nfs-stalled", STALLED.strip().split("kernel: ")[1], 1, "May 09 12:02:31", device="filer"
                        ),
                    ),
                    1,
                ),
                Statements((Statement("storage-not-responding", STALLED.strip(), 1),)),
            ),
        ),
    },
)
def kernel_messages(artifact: Artifact) -> Iterator[Piece]:
    """What somebody saved of the kernel's log: dmesg, or the journal of a boot.

    ## What it reads
    Kills for want of memory with the process they are about, faults of GPUs, storage and native code, each with its
    time as far as it is written; the same phrases as in any log.

    ## What it leaves
    Everything else that a kernel says, and lines of other services. Whether an event is about this run is decided
    where all artifacts are known.
    """
    lines = islice(artifact.lines(), MOST_LINES)
    count = 0

    def counted() -> Iterator[str]:
        nonlocal count
        for line in lines:
            count += 1
            yield line

    events, left_out = kernel_log.newest(kernel_log.events(counted()), MOST_EVENTS)
    if not count:
        return
    words = f"the kernel reported {len(events)} events" + (f", the last one {events[-1].text[:160]}" if events else "")
    yield Reading(KernelLog(events, count, left_out), words, events[-1].line if events else None)
    for piece in text_log.function(artifact):
        if isinstance(piece, Reading) and isinstance(piece.fact, (Statements, RunEnd)):
            yield piece
