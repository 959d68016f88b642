from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

SAYS = ("gpu-fault",)


@check(
    reads=Statements,
    root="words about a device fault",
    background=0.02,
    given={"other/unlisted": 0.02},
    fires={
        "at the end of the log": {
            "said": [
                {
                    "phrase": "gpu-fault",
                    "text": "NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, GPU has fallen off the bus.",
                    "line": 812,
                }
            ]
        }
    },
    quiet={
        "something else is said": {"said": [{"phrase": "checkpoint-saved", "text": "saving model.pt", "line": 3}]},
        "the program went on": {
            "said": [
                {
                    "phrase": "gpu-fault",
                    "text": "NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, GPU has fallen off the bus.",
                    "line": 3,
                    "lines_after": 5000,
                }
            ]
        },
    },
)
def gpu_fault_said(statements: Statements, *, most_after: int = 30) -> Iterator[Finding]:
    """The driver reports a fault of an accelerator.

    ## Why it matters
    No change of the program cures a broken device.

    ## False alarms
    Some Xid numbers (13, 31, 43) are mostly faults of a program and not of the device.
    """
    for one in statements.of(*SAYS):
        if one.lines_after <= most_after:
            yield Finding(one.told)
            return
