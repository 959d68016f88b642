from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import KernelLog

# Xids that come from what a program does on the device.
PROGRAM = {
    13: "an exception in a kernel",
    31: "an access outside its memory",
    43: "its work was stopped",
}
FAULT = {
    "kind": "xid",
    "text": "NVRM: Xid (PCI:0000:3b:00): 31, pid=4711, name=python, MMU Fault",
    "line": 3,
    "device": "0000:3b:00",
    "code": 31,
    "pid": 4711,
    "process": "python",
    "age": 60.0,
}


@check(
    reads=KernelLog,
    root="kernel xid",
    background=0.01,
    fires={"an illegal access of the run's": {"events": [FAULT], "lines": 9, "family": [4711]}},
    quiet={
        "another process's": {"events": [FAULT], "lines": 9, "family": [12]},
        "a fault of the device": {"events": [{**FAULT, "code": 79}], "lines": 9, "family": [4711]},
    },
    given={"none/healthy": 0.002, "env/exception": 0.05},
)
def gpu_access_fault(log: KernelLog) -> Iterator[Finding]:
    """The driver stopped a process of the run for an error of its own on the device.

    ## Why it matters
    It is mostly an index out of range or a faulty custom kernel; CUDA_LAUNCH_BLOCKING=1 shows the line.

    ## False alarms
    A failing device can cause the same; then other programs fail on it, too.
    """
    told = {
        (event.device, event.code, event.pid)
        for event in log.events
        if event.kind == "xid" and event.code in PROGRAM and event.pid in log.family
    }
    for device, code, pid in sorted(told, key=str):
        yield Finding(f"pid {pid} was stopped on GPU {device}: Xid {code}, {PROGRAM[code or 0]}")
