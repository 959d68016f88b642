import re
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Crash

SAYS = re.compile(
    r"\binputs? (x|y|y_true|data|features?|array|tensor)\b.{0,30}\bcontains? \W?(nan|inf)|"
    r"\b(dataset|data ?frame|batch|samples?|rows?|columns?|features?|images?|csv|labels?|targets?)\b.{0,60}"
    r"\b(contains?|has|have|with|holds?) .{0,20}\b(nans?|infs?|infinity|non-?finite|not finite)\b|"
    r"\b(nans?|infs?|non-?finite values?) (found |detected )?in (the )?(input|dataset|data|batch|sample|features?|"
    r"images?|labels?|targets?)\b",
    re.IGNORECASE,
)


@check(
    reads=Crash,
    root="an exception about the data's numbers",
    background=0.02,
    given={"data/nonfinite-values": 0.50, "env/exception": 0.02, "other/unlisted": 0.03},
    fires={
        "scikit-learn": {"exception": "ValueError", "message": "Input X contains NaN."},
        "XGBoost": {
            "exception": "XGBoostError",
            "message": "Check failed: valid: Input data contains `inf` or a value too large, while `missing` is not",
        },
        "a program that looks": {"exception": "ValueError", "message": "batch 312 contains NaN in column 4"},
        "another way round": {"exception": "AssertionError", "message": "NaN in input at index 12"},
    },
    quiet={
        "a measure of a model's answers": {"exception": "ValueError", "message": "Input contains NaN."},
        "the loss": {"exception": "AssertionError", "message": "loss is nan at step 3"},
        "an ordinary one": {"exception": "KeyError", "message": "labels"},
    },
)
def data_refused(crash: Crash) -> Iterator[Finding]:
    """The exception says that the data itself holds NaN or Inf.

    ## Why it matters
    Whoever looks at the data before the model does has found it where it comes from.

    ## False alarms
    What a model answers is an input, too, of whatever measures it; messages that do not name the data are not counted.
    """
    if SAYS.search(crash.message):
        yield Finding(f"{crash.exception}: {crash.message}", where=(crash.where,) if crash.where else ())
