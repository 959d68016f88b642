from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import InputScale

CLIPPED = {
    "mean": 0.0, "std": 0.01, "low": -0.01, "high": 0.01, "samples": 600, "at_low": 0.49, "at_high": 0.49,
    "where": {"file": "train.py", "line": 40},
}  # fmt: skip


@check(
    reads=InputScale,
    root="input-information",
    background=0.03,
    fires={
        "both limits": CLIPPED,
        "one limit, which is not zero": {**CLIPPED, "low": -9.4, "high": -3.88, "at_low": 0.0001, "at_high": 0.97},
    },
    quiet={
        "ordinary": {**CLIPPED, "at_low": 0.001, "at_high": 0.001},
        "not known": {**CLIPPED, "at_low": None, "at_high": None},
        "zeros and ones": {**CLIPPED, "low": 0.0, "high": 1.0, "at_low": 0.9, "at_high": 0.1},
        "signs": {**CLIPPED, "low": -1.0, "high": 1.0, "at_low": 0.5, "at_high": 0.5},
        "counts, most of them zero": {**CLIPPED, "low": 0.0, "high": 40.0, "at_low": 0.98, "at_high": 0.0001},
        "dark pictures": {**CLIPPED, "low": -1.0, "high": 1.0, "at_low": 0.78, "at_high": 0.02},
        "tokens": {**CLIPPED, "discrete": True},
        "bright and dark pictures": {**CLIPPED, "low": -1.0, "high": 1.0, "at_low": 0.3, "at_high": 0.3},
    },
)  # fmt: skip
def inputs_clipped(scale: InputScale, *, share: float = 0.9) -> Iterator[Finding]:
    """Nearly all values that enter the model are exactly a limit, and a few lie between: they were clipped.

    ## Why it matters
    Clipping that reaches most values takes away what told the samples apart.

    ## False alarms
    Zeros and ones, signs and counts that are mostly zero are what they are: all values are then limits, or the limit is
    zero. Drawings that are nearly all black and white look clipped; whether more could be learned, only a run tells.
    """
    low, high = scale.at_low, scale.at_high
    if scale.discrete or scale.nonfinite or low is None or high is None or scale.high <= scale.low:
        return
    kept = (low if scale.low != 0 else 0.0) + (high if scale.high != 0 else 0.0)
    # Two values only, or a zero that most are, are no limits.
    if share <= kept < 0.9999 and low + high < 0.9999 and (low > 0.2 < high or max(low, high) >= share):
        yield Finding(
            f"{low:.0%} of the values that enter the model are exactly {scale.low:.4g} and {high:.0%} exactly "
            f"{scale.high:.4g}",
            where=(scale.where,) if scale.where else (),
        )
