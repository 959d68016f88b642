import re
from collections.abc import Iterator

from stetho.amounts import duration
from stetho.check import Finding, check
from stetho.facts import KernelLog

TRAINS = re.compile(r"^(?:python|pypy|pt_|ray::)")
FAULT = {
    "kind": "segfault", "text": "python[4711]: segfault at 0 ip 00007f", "line": 9, "pid": 4711, "process": "python",
    "device": "libtorch_cpu.so", "age": 60.0,
}  # fmt: skip


@check(
    reads=KernelLog,
    root="kernel segfault",
    background=0.01,
    fires={
        "a process of the run": {"events": [FAULT], "lines": 50, "family": [4711]},
        "when the folder fell silent": {"events": [FAULT], "lines": 50, "quiet": 61.0},
    },
    quiet={
        "another program's": {"events": [{**FAULT, "pid": 8, "process": "gnome-shell"}], "lines": 50, "quiet": 61.0}
    },
    given={"none/healthy": 0.002, "env/killed": 0.1, "env/worker-crash": 0.3, "env/exception": 0.1},
)
def native_crash(log: KernelLog, *, near: float = 120.0) -> Iterator[Finding]:
    """A process of the run crashed in native code.

    ## Why it matters
    There is no Python exception; the kernel names the library.

    ## False alarms
    As for kills, it must be a process of the run, or a Python one at the time when the folder fell silent.
    """
    for event in log.events:
        if event.kind != "segfault":
            continue
        fell = log.quiet is not None and event.age is not None and -10 <= log.quiet - event.age <= near
        if event.pid in log.family or (fell and TRAINS.match(event.process)):
            where = f" in {event.device}" if event.device else ""
            when = f", {duration(event.age)} ago" if event.age is not None else ""
            yield Finding(f"pid {event.pid} ({event.process}) crashed in native code{where}{when}")
