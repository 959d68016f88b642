import re
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Crash

SAYS = re.compile(
    r"Target -?\d+ is out of bounds|cur_target >= 0 && cur_target < n_classes|Assertion .t >= 0 && t < n_classes",
    re.IGNORECASE,
)


@check(
    reads=Crash,
    root="exception about labels",
    background=0.02,
    fires={"as torch says it": {"exception": "IndexError", "message": "Target 10 is out of bounds."}},
    quiet={"another exception": {"exception": "KeyError", "message": "lr"}},
)
def label_out_of_range(crash: Crash) -> Iterator[Finding]:
    """The loss refuses a label that is no class index.

    ## Why it matters
    The labels are not 0..K-1 for the K outputs of the model: counted from one, or more classes than outputs.

    ## False alarms
    Fewer outputs than classes is a mistake of the model, with the same message.
    """
    if SAYS.search(f"{crash.exception}: {crash.message}"):
        yield Finding(
            f"a label does not fit the model's classes: {crash.exception}: {crash.message}",
            where=(crash.where,) if crash.where else (),
        )
