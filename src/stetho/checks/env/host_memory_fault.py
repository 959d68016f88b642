import re
from collections.abc import Iterator

from stetho.amounts import duration
from stetho.check import Finding, check
from stetho.facts import KernelLog

UNCORRECTED = re.compile(r"\bUE\b|[Uu]ncorrected")
FAULT = {"kind": "ecc", "text": "EDAC MC0: 1 UE memory read error on DIMM#0", "line": 3, "device": "MC0", "age": 600.0}


@check(
    reads=KernelLog,
    root="kernel memory errors",
    background=0.01,
    fires={"an uncorrected error": {"events": [FAULT], "lines": 9}},
    quiet={
        "corrected, as they happen every day": {
            "events": [{**FAULT, "text": "EDAC MC0: 1 CE memory read error on DIMM#0"}],
            "lines": 9,
        },
        "last week": {"events": [{**FAULT, "age": 600_000.0}], "lines": 9},
    },
    given={"none/healthy": 0.002},
)
def host_memory_fault(log: KernelLog, *, recent: float = 86_400.0) -> Iterator[Finding]:
    """The machine's main memory gave an error that could not be corrected.

    ## Why it matters
    Values change by themselves and processes are killed; no change of the program helps.

    ## False alarms
    Corrected errors are not counted.
    """
    seen = [event for event in log.events if event.kind == "ecc" and UNCORRECTED.search(event.text)]
    if seen and (seen[-1].age is None or seen[-1].age <= recent):
        when = f", {duration(seen[-1].age)} ago" if seen[-1].age is not None else ""
        yield Finding(f"main memory gave an uncorrected error{when}: {seen[-1].text[:120]}")
