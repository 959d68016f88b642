from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Processes, ProcessState

ONE = {"pid": 50, "parent": 9, "state": "running", "command": ["python", "train.py"], "role": "trainer"}


@check(
    reads=Processes,
    root="process instances",
    background=0.01,
    fires={"started twice": {"processes": [ONE, {**ONE, "pid": 60, "parent": 10}], "watched": 1.0}},
    quiet={
        "with loader workers": {
            "processes": [ONE, {**ONE, "pid": 51, "parent": 50, "role": "worker"}],
            "watched": 1.0,
        },
        "ranks of one launcher": {
            "processes": [{**ONE, "rank": 0}, {**ONE, "pid": 51, "rank": 1}],
            "watched": 1.0,
        },
        "two different seeds": {
            "processes": [ONE, {**ONE, "pid": 60, "parent": 10, "command": ["python", "train.py", "--seed=2"]}],
            "watched": 1.0,
        },
    },
    given={"none/healthy": 0.01},
)
def several_instances(found: Processes) -> Iterator[Finding]:
    """The same training command runs more than once in the folder.

    ## Why it matters
    They share devices and memory, and write over each other's logs and checkpoints.

    ## False alarms
    Ranks of one launcher and workers of a loader are not counted; copies that are meant to run side by side are.
    """
    numbers = {one.pid for one in found.processes}
    alike: dict[tuple[str, ...], list[ProcessState]] = {}
    for one in found.processes:
        if one.role == "trainer" and one.rank is None and one.parent not in numbers and one.state != "zombie":
            alike.setdefault(one.command, []).append(one)
    for command, ones in alike.items():
        if len({one.parent for one in ones}) > 1 or (len(ones) > 1 and all(one.orphan for one in ones)):
            which = ", ".join(str(one.pid) for one in ones)
            yield Finding(f"{' '.join(command)[:60]} runs {len(ones)} times: pid {which}")
