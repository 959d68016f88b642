from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import InputScale


@check(
    reads=InputScale,
    root="input-values",
    background=0.02,
    fires={"one NaN": {"mean": "nan", "std": "nan", "low": "nan", "high": "nan", "nonfinite": 1}},
    quiet={"finite": {"mean": 0.0, "std": 1.0, "low": -3.0, "high": 3.0}},
)
def input_nonfinite(scale: InputScale) -> Iterator[Finding]:
    """NaN or Inf enters the model.

    ## Why it matters
    One such value is enough to lose every parameter it touches.

    ## False alarms
    Models that mask missing values themselves.
    """
    if scale.nonfinite:
        yield Finding(
            f"{scale.nonfinite} values that enter the model are NaN or Inf",
            where=(scale.where,) if scale.where else (),
        )
