from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

SAYS = (
    "host-memory-refused",
    "shared-memory-short",
)


@check(
    reads=Statements,
    root="words about host memory",
    background=0.02,
    given={"other/unlisted": 0.02},
    fires={"at the end of the log": {"said": [{"phrase": "host-memory-refused", "text": "MemoryError", "line": 812}]}},
    quiet={
        "something else is said": {"said": [{"phrase": "checkpoint-saved", "text": "saving model.pt", "line": 3}]},
        "the program went on": {
            "said": [{"phrase": "host-memory-refused", "text": "MemoryError", "line": 3, "lines_after": 5000}]
        },
    },
)
def host_memory_exhausted(statements: Statements, *, most_after: int = 30) -> Iterator[Finding]:
    """The machine refused memory, or shared memory ran out.

    ## Why it matters
    Loading, copying and workers take memory of the machine, which is another limit than the accelerator's.

    ## False alarms
    A program that tries a smaller size after a refusal goes on, and is not counted.
    """
    for one in statements.of(*SAYS):
        if one.lines_after <= most_after:
            yield Finding(one.told)
            return
