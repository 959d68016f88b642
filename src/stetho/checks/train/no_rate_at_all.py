from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.train.no_rate_after_resume import LOADED, NOTHING, nothing
from stetho.facts import LearningRate, Resumed


@check(
    reads=LearningRate,
    also=Resumed,
    root="learning-rate",
    background=0.005,
    given={"other/unlisted": 0.02},
    fires={"zero from the first step on": {"learning-rate": NOTHING}},
    quiet={
        "a warm-up begins at zero": {"learning-rate": {**NOTHING, "values": [0.0, 1e-4, 2e-4, 3e-4, 4e-4]}},
        "one group learns": {
            "learning-rate": {
                **NOTHING,
                "groups": [
                    {"elements": 90, "first": 0.0, "last": 0.0, "highest": 0.0},
                    {"elements": 10, "first": 1e-3, "last": 1e-3, "highest": 1e-3},
                ],
            }
        },
        "a state was loaded: another check says more": {"learning-rate": NOTHING, "resumed": {"loads": [LOADED]}},
    },
)
def no_rate_at_all(rate: LearningRate, found: Resumed | None) -> Iterator[Finding]:
    """Every step is taken at a rate of zero.

    ## Why it matters
    Nothing changes, however long it runs: a schedule or a setting leaves no rate.

    ## False alarms
    None known; a run of this kind trains nothing.
    """
    loads = found.loads if found is not None else ()
    if nothing(rate) and not any(load.what in ("optimizer", "scheduler") for load in loads):
        yield Finding(f"the rate of {rate.optimizer} is 0 at every step", where=(rate.where,) if rate.where else ())
