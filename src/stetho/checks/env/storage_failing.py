import re
from collections.abc import Iterator

from stetho.amounts import duration
from stetho.check import Finding, check
from stetho.facts import KernelEvent, KernelLog

WORDS = {
    "nfs-stalled": "does not respond",
    "io-error": "gives I/O errors",
    "read-only": "was made read-only after an error",
}
# Drives without a medium, as virtual machines have them, give errors for ever.
EMPTY = re.compile(r"(?:sr|fd|loop)\d")
STALLED = {"kind": "nfs-stalled", "text": "nfs: server filer not responding", "line": 4, "device": "filer", "age": 90.0}


@check(
    reads=KernelLog,
    root="kernel storage errors",
    background=0.01,
    fires={
        "a file server": {"events": [STALLED], "lines": 9},
        "a disk": {"events": [{**STALLED, "kind": "io-error", "device": "sdb"}], "lines": 9},
    },
    quiet={
        "the server came back": {"events": [STALLED, {**STALLED, "kind": "nfs-back", "line": 5}], "lines": 9},
        "an empty drive": {"events": [{**STALLED, "kind": "io-error", "device": "sr0"}], "lines": 9},
        "last week": {"events": [{**STALLED, "kind": "io-error", "age": 600_000.0}], "lines": 9},
    },
    given={"none/healthy": 0.005, "env/slow-storage": 0.4},
)
def storage_failing(log: KernelLog, *, recent: float = 21_600.0) -> Iterator[Finding]:
    """The kernel reported that a disk or a file server fails.

    ## Why it matters
    Reading data and writing checkpoints hang or fail, and no change of the program helps.

    ## False alarms
    It may be a disk that the run does not use. A server that has come back is not counted, nor is what is hours old.
    """
    last: dict[tuple[str, str], KernelEvent] = {}
    for event in log.events:
        if event.kind == "nfs-back":
            last.pop(("nfs-stalled", event.device), None)
        elif event.kind in WORDS and not EMPTY.match(event.device) and (event.age is None or event.age <= recent):
            last[event.kind, event.device] = event
    for (kind, device), event in last.items():
        when = f", last {duration(event.age)} ago" if event.age is not None else ""
        yield Finding(f"{device or 'a file system'} {WORDS[kind]}{when}")
