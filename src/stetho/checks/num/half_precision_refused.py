import re
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Crash

SAYS = re.compile(
    r"(minimum|lowest|smallest) (loss )?scale|scale (is )?(already )?(at|below|reached)( its| the)? (minimum|floor)|"
    r"cannot (decrease|reduce|lower) (the )?(loss )?scale|(converted to type|cast to) \S*half\S* without overflow|"
    r"(exceeds|out of) (the )?(range|bounds) (of|for) (fp16|float16|half)",
    re.IGNORECASE,
)


@check(
    reads=Crash,
    root="loss-scale",
    background=0.02,
    given={
        "num/half-precision": 0.60,
        "num/overflow": 0.15,
        "num/exploding-gradients": 0.10,
        "hp/lr-too-high": 0.10,
        "other/unlisted": 0.05,
        "env/exception": 0.02,
    },
    fires={
        "DeepSpeed": {
            "exception": "Exception",
            "message": "Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
        },
        "fairseq": {"exception": "FloatingPointError", "message": "Minimum loss scale reached (0.0001)."},
        "a mask that float16 cannot hold": {
            "exception": "RuntimeError", "message": "value cannot be converted to type at::Half without overflow",
        },
    },
    quiet={
        "another number": {"exception": "FloatingPointError", "message": "Loss became infinite at iteration 431"},
        "an ordinary one": {"exception": "KeyError", "message": "scale"},
    },
)  # fmt: skip
def half_precision_refused(crash: Crash) -> Iterator[Finding]:
    """The exception says that half precision cannot hold the numbers.

    ## Why it matters
    The scale of the loss is at its floor and gradients still overflow, or a number is too large for float16 as it is.

    ## False alarms
    A model that diverges ends here, too, when it trains in float16: the run-up before tells the two apart.
    """
    if SAYS.search(crash.message):
        yield Finding(f"{crash.exception}: {crash.message}", where=(crash.where,) if crash.where else ())
