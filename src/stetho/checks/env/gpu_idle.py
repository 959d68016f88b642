from collections.abc import Iterator

from stetho.amounts import duration, size
from stetho.check import Finding, check
from stetho.facts import Gpus, Processes

GB = 1 << 30
HELD = {
    "index": 0, "name": "A100", "use": [0, 0, 0, 0], "memory_used": 30 * GB, "memory_total": 80 * GB,
    "processes": [{"pid": 4711, "memory": 30 * GB, "ours": True}],
}  # fmt: skip
TRAINS = {"pid": 4711, "parent": 9, "state": "sleeping", "role": "trainer", "age": 4000.0, "cores": 0.0}


@check(
    reads=(Gpus, Processes),
    root="gpu use",
    background=0.05,
    fires={
        "held by a trainer that sleeps": {
            "gpus": {"gpus": [HELD], "watched": 1.2},
            "processes": {"processes": [TRAINS], "watched": 1.0},
        }
    },
    quiet={
        "between two steps": {
            "gpus": {"gpus": [{**HELD, "use": [0, 97, 12, 0]}], "watched": 1.2},
            "processes": {"processes": [TRAINS], "watched": 1.0},
        },
        "just started": {
            "gpus": {"gpus": [HELD], "watched": 1.2},
            "processes": {"processes": [{**TRAINS, "age": 20.0}], "watched": 1.0},
        },
        "nobody's": {
            "gpus": {"gpus": [{**HELD, "processes": []}], "watched": 1.2},
            "processes": {"processes": [TRAINS], "watched": 1.0},
        },
        "one look only": {
            "gpus": {"gpus": [{**HELD, "use": [0]}], "watched": 0.1},
            "processes": {"processes": [TRAINS], "watched": 1.0},
        },
    },
    given={"none/healthy": 0.05},
)
def gpu_idle(gpus: Gpus, found: Processes, *, young: float = 120.0, looks: int = 3) -> Iterator[Finding]:
    """A device that the run holds computes nothing.

    ## Why it matters
    The run waits: for data, for another rank, for a disk, or for ever.

    ## False alarms
    Evaluation on the CPU, writing a checkpoint and starting up leave a device idle for a while. It is one look of a
    second; consistent with a stall, no proof of it.
    """
    ours = {one.pid: one for one in found.processes}
    for gpu in gpus.gpus:
        holders = [ours[one.pid] for one in gpu.processes if one.ours and one.pid in ours]
        old = [one for one in holders if one.age is not None and one.age >= young]
        if old and len(gpu.use) >= looks and max(gpu.use) <= 1:
            busy = sum(one.cores or 0 for one in found.processes)
            yield Finding(
                f"GPU {gpu.index} was idle for {duration(gpus.watched)} while pid {old[0].pid} holds "
                f"{size(gpu.memory_used)} of it; the run keeps {busy:.1f} cores busy"
            )
