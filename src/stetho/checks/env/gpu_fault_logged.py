from collections.abc import Iterator

from stetho.amounts import duration
from stetho.check import Finding, check
from stetho.facts import KernelLog

# Xids that the driver's documentation ascribes to the device, its memory, its link or its firmware. Those of programs,
# such as 13, 31 and 43, come with any illegal access and say nothing about the device.
DEVICE = {
    48: "an uncorrectable memory error", 61: "its firmware failed", 62: "its firmware failed",
    64: "a memory row could not be retired",
    74: "its NVLink failed", 79: "it has fallen off the bus", 92: "many memory errors", 94: "a contained memory error",
    95: "an uncontained memory error", 119: "its firmware does not answer", 120: "its firmware failed",
    140: "an unrecovered memory error",
}  # fmt: skip
OFF = {
    "kind": "xid",
    "text": "NVRM: Xid (PCI:0000:3b:00): 79",
    "line": 7,
    "device": "0000:3b:00",
    "code": 79,
    "age": 400.0,
}


@check(
    reads=KernelLog,
    root="kernel xid",
    background=0.01,
    fires={"off the bus": {"events": [OFF], "lines": 10}},
    quiet={
        "a program's illegal access": {"events": [{**OFF, "code": 31}], "lines": 10},
        "three days ago": {"events": [{**OFF, "age": 260_000.0}], "lines": 10},
        "a clean log": {"events": [], "lines": 10},
    },
    given={"none/healthy": 0.002, "env/gpu-fault": 0.6},
)
def gpu_fault_logged(log: KernelLog, *, recent: float = 86_400.0) -> Iterator[Finding]:
    """The driver reported a fault of the device itself.

    ## Why it matters
    Programs on the device fail or hang whatever they do, and a new start of the program does not help.

    ## False alarms
    Faults that a program causes by an illegal access have other numbers and are not counted; nor are old ones.
    """
    told: dict[tuple[str, str], float | None] = {}
    for event in log.events:
        fresh = event.age is None or event.age <= recent
        if fresh and event.kind == "xid" and event.code in DEVICE:
            told[event.device, f"Xid {event.code}: {DEVICE[event.code]}"] = event.age
        elif fresh and event.kind == "gpu-reset":
            told[event.device, "it was reset by its driver"] = event.age
    for (device, what), age in told.items():
        when = f", {duration(age)} ago" if age is not None else ""
        yield Finding(f"GPU {device} reported a fault of its own{when}: {what}")
