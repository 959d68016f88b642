import re
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Crash

SAYS = re.compile(
    r"\b(nan|nans|inf|infinity|infinite|non-?finite|not finite|isfinite|loss scale|overflow(ed)?)\b", re.IGNORECASE
)


@check(
    reads=Crash,
    root="an exception about numbers",
    background=0.02,
    given={
        "env/exception": 0.02,
        "num/log-of-zero": 0.30,
        "num/exploding-gradients": 0.30,
        "data/nonfinite-values": 0.30,
        "hp/lr-too-high": 0.20,
        "data/inputs-unnormalized": 0.15,
        "other/unlisted": 0.15,
    },
    fires={
        "anomaly mode": {"exception": "RuntimeError", "message": "Function 'LogBackward0' returned nan values"},
        "a program that looks itself": {"exception": "AssertionError", "message": "loss is inf at step 231"},
        "a scaler": {"exception": "FloatingPointError", "message": "Minimum loss scale reached (0.0001)."},
    },
    quiet={
        "an ordinary one": {"exception": "KeyError", "message": "'lr'"},
        "a word that only contains it": {"exception": "ValueError", "message": "no information in nanny.csv"},
    },
)
def numbers_refused(crash: Crash) -> Iterator[Finding]:
    """The exception says that a number is not finite, or out of range.

    ## Why it matters
    The line that raises only looked: what made the number is elsewhere.

    ## False alarms
    Messages that name such a number in passing, as a setting does.
    """
    if SAYS.search(crash.message):
        yield Finding(f"{crash.exception}: {crash.message}", where=(crash.where,) if crash.where else ())
