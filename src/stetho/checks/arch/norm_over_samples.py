from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.arch.samples_mixed import tried
from stetho.facts import Influence


@check(
    reads=Influence,
    root="norm-use",
    background=0.01,
    given={"other/unlisted": 0.02, "arch/batch-mixing": 0.10},
    fires={"a length over the batch": tried(31, "norm", "normalize")["influence"]},
    quiet={
        "over the features": tried(0, "", "")["influence"],
        "a reshape": tried(12, "reshape")["influence"],
        "centred over the batch by hand": tried(31, "other", "mean")["influence"],
    },
)
def norm_over_samples(influence: Influence) -> Iterator[Finding]:
    """Vectors are scaled by a length that is taken over the samples of the batch instead of over their features.

    ## Why it matters
    The size of each answer then depends on who else is in the batch, and is not one.

    ## False alarms
    Means and spreads over the batch, as a batch normalisation takes them, do not count; only lengths do.
    """
    if influence.mixed and influence.manner == "norm":
        yield Finding(
            f"{influence.operation} takes its length over the {influence.samples} samples of the batch",
            where=influence.mixed_at[:2],
        )
