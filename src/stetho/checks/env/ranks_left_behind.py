from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Processes

RANK = {"pid": 52, "parent": 1, "state": "running", "command": ["python", "train.py"], "rank": 3, "orphan": True}


@check(
    reads=Processes,
    root="process parents",
    background=0.01,
    fires={"a rank without its launcher": {"processes": [RANK], "watched": 1.0}},
    quiet={
        "started with nohup": {"processes": [{**RANK, "rank": None, "role": "trainer"}], "watched": 1.0},
        "its launcher is there": {"processes": [{**RANK, "parent": 50, "orphan": False}], "watched": 1.0},
    },
    given={"none/healthy": 0.005, "env/hang": 0.1},
)
def ranks_left_behind(found: Processes) -> Iterator[Finding]:
    """Ranks or loader workers run on although what started them is gone.

    ## Why it matters
    They hold devices and ports, so that a new start fails, and wait in collectives that nobody joins.

    ## False alarms
    A single program that outlives its terminal on purpose has no rank and is not counted.
    """
    left = [one for one in found.processes if one.orphan and (one.rank is not None or one.role == "worker")]
    if left:
        which = ", ".join(str(one.pid) for one in left)
        yield Finding(f"{len(left)} ranks or workers run on without the process that started them: pid {which}")
