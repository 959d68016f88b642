from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import RankAgreement

APART = {
    "ranks": [0, 1], "steps": 20, "parameters_differ": 20, "buffers_differ": 0, "first_parameters": 0, "apart": [1],
}  # fmt: skip


@check(
    reads=RankAgreement,
    root="parameters of the ranks",
    background=0.01,
    given={"dist/ranks-diverge": 0.97, "none/healthy": 0.01, "other/unlisted": 0.02, "dist/same-data": 0.02},
    fires={
        "from the first step on": APART,
        "from a later one on": {**APART, "parameters_differ": 12, "first_parameters": 8},
    },
    quiet={
        "all alike": {**APART, "parameters_differ": 0, "first_parameters": None, "apart": []},
        "brought together every few steps": {**APART, "parameters_differ": 10, "first_parameters": 1},
        "statistics of each rank's own": {**APART, "parameters_differ": 0, "buffers_differ": 20, "apart": []},
        "too few to tell": {**APART, "steps": 2, "parameters_differ": 2},
    },
)
def ranks_apart(agreement: RankAgreement, *, least: int = 4, share: float = 0.5) -> Iterator[Finding]:
    """The ranks hold different parameters, and do not come together again.

    ## Why it matters
    Each rank trains a model of its own on its part of the data; what is saved and tested is one of them.

    ## False alarms
    Ranks that meet every few steps on purpose are the same again and again; a model that is spread over ranks is not
    compared.
    """
    differ, first = agreement.parameters_differ, agreement.first_parameters
    if differ < least or first is None:
        return
    # All that was compared from the first difference on: at most one step of those before is another optimizer's.
    if first == 0 and differ < agreement.steps:
        return
    if differ < share * agreement.steps or (first < 5 and differ < 0.9 * agreement.steps):
        return
    told = f"from step {first} on, at {differ} of {agreement.steps} steps compared"
    yield Finding(f"ranks {', '.join(map(str, agreement.apart))} hold other parameters than rank 0 {told}", step=first)
