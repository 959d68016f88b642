from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Processes

ONE = {"pid": 4711, "parent": 4700, "state": "stopped", "command": ["python", "train.py"], "role": "trainer"}


@check(
    reads=Processes,
    root="process state",
    background=0.01,
    fires={
        "by Ctrl-Z": {"processes": [ONE], "watched": 1.0},
        "in a debugger": {"processes": [{**ONE, "state": "traced"}], "watched": 1.0},
    },
    quiet={
        "busy": {"processes": [{**ONE, "state": "running", "cores": 1.0}], "watched": 1.0},
        "asleep for a moment": {"processes": [{**ONE, "state": "sleeping", "cores": 0.4}], "watched": 1.0},
    },
    given={"none/healthy": 0.002, "env/hang": 0.1},
)
def process_stopped(found: Processes) -> Iterator[Finding]:
    """A process of the run is stopped and waits to be continued.

    ## Why it matters
    It does nothing until somebody sends SIGCONT: it was stopped by Ctrl-Z, by reading from a terminal in the
    background, or by a debugger.

    ## False alarms
    None known.
    """
    for one in found.processes:
        if one.state in ("stopped", "traced"):
            how = "held by a debugger" if one.state == "traced" else f"stopped; `kill -CONT {one.pid}` lets it go on"
            yield Finding(f"pid {one.pid} ({' '.join(one.command)[:60]}) is {how}")
