from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Processes

DEAD = {"pid": 4711, "parent": 4700, "state": "zombie", "command": ["[python]"], "role": "trainer"}
PARENT = {"pid": 4700, "parent": 1, "state": "sleeping", "command": ["python", "train.py"], "role": "trainer"}


@check(
    reads=Processes,
    root="process state",
    background=0.01,
    fires={
        "a worker has died": {"processes": [PARENT, DEAD], "watched": 1.0},
        "the one asked about is gone": {"processes": [], "watched": 1.0, "asked": 4711, "gone": True},
    },
    quiet={
        "nothing was asked for and nothing runs": {"processes": [], "watched": 1.0},
        "one has ended just now": {"processes": [PARENT, {**DEAD, "settled": False}], "watched": 1.0},
        "all alive": {"processes": [PARENT], "watched": 1.0},
    },
    given={"none/healthy": 0.01, "env/killed": 0.3, "env/worker-crash": 0.3},
)
def process_dead(found: Processes) -> Iterator[Finding]:
    """A process of the run has died, and its parent has not noticed, or it is gone altogether.

    ## Why it matters
    What waits for it, as a launcher or a training loop for its loader, can wait for ever.

    ## False alarms
    A process that ended well stays a zombie, too, until its parent asks for it; busy parents do so late.
    """
    if found.gone:
        yield Finding(f"process {found.asked} is not there any more")
    for one in found.processes:
        if one.state == "zombie" and one.settled:
            yield Finding(
                f"pid {one.pid} {' '.join(one.command)[:60]} has ended; its parent {one.parent} has not noticed"
            )
