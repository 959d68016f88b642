from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

SAID = {
    "phrase": "class-index-asserted",
    "text": "Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: thread: [3,0,0] Assertion `t >= 0 && t < n_classes` "
    "failed.",
    "line": 812,
}


@check(
    reads=Statements,
    # Where the exception comes later than the assertion, the exception itself says nothing of labels.
    root="exception about labels",
    background=0.02,
    given={"data/label-encoding": 0.95, "env/exception": 0.02, "other/unlisted": 0.02},
    fires={"at the end of the log": {"said": [{**SAID, "count": 5, "lines_after": 9}]}},
    quiet={
        "the program went on": {"said": [{**SAID, "lines_after": 5000}]},
        "another assertion": {"said": [{**SAID, "phrase": "device-assert"}]},
        "nothing is said": {"said": []},
    },
)
def class_index_refused(statements: Statements, *, most_after: int = 30) -> Iterator[Finding]:
    """The loss's own assertion on the device says that a label is no class index.

    ## Why it matters
    The exception comes later and elsewhere, wherever the program next waits for the device; the assertion is the proof.

    ## False alarms
    Other assertions of the device, such as an index of an embedding, are not counted.
    """
    for one in statements.of("class-index-asserted"):
        if one.lines_after <= most_after:
            yield Finding(one.first_told + (f" ({one.count} lines say it)" if one.count > 1 else ""))
            return
