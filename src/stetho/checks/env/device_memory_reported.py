from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

SAYS = ("device-out-of-memory",)


@check(
    reads=Statements,
    root="exception about device memory",
    background=0.02,
    given={"other/unlisted": 0.02},
    fires={
        "at the end of the log": {
            "said": [
                {
                    "phrase": "device-out-of-memory",
                    "text": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
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
                    "phrase": "device-out-of-memory",
                    "text": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
                    "line": 3,
                    "lines_after": 5000,
                }
            ]
        },
    },
)
def device_memory_reported(statements: Statements, *, most_after: int = 30) -> Iterator[Finding]:
    """The log says that the accelerator ran out of memory.

    ## Why it matters
    The batch, the model and what autograd keeps do not fit together.

    ## False alarms
    A program that catches it and takes a smaller batch goes on, and is not counted.
    """
    for one in statements.of(*SAYS):
        if one.lines_after <= most_after:
            yield Finding(one.told)
            return
