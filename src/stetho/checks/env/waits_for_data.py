from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Pace

WAITS = {
    "steps": [50, 100], "seconds": [1.1, 1.1], "data_share": 0.92, "data_name": "data_time", "data_longest": 1.1,
    "step_seconds": 1.15,
}  # fmt: skip


@check(
    reads=Pace,
    root="waits for data",
    background=0.02,
    given={"env/input-bound": 0.9, "env/slow-storage": 0.6, "none/healthy": 0.01, "other/unlisted": 0.03},
    fires={
        "nine tenths of the time": WAITS,
        "two long waits": {**WAITS, "data_share": 0.8, "data_longest": 1187.0, "step_seconds": 3.0},
    },
    quiet={
        "a tenth of the time": {**WAITS, "data_share": 0.1},
        "steps of a millisecond": {**WAITS, "step_seconds": 0.001},
        "it is not logged": {"steps": [50, 100], "seconds": [1.1, 1.1]},
    },
)
def waits_for_data(pace: Pace, *, most: float = 0.6, least: float = 0.05) -> Iterator[Finding]:
    """By its own times, the run spends most of its steps waiting for data.

    ## Why it matters
    The accelerator is paid for and waits: more workers, a faster disk or less work per sample make it that much faster.

    ## False alarms
    Some programs count the transfer to the device, or the first batch of an epoch, as loading.
    """
    # Where a loader was watched, another check looks at its waits.
    if pace.data_total is not None or pace.data_share is None:
        return
    if pace.data_share < most or (pace.step_seconds or 0.0) < least:
        return
    use = f"; accelerators compute {max(pace.device_use):.0f} % of the time" if pace.device_use else ""
    told = f"{pace.data_name} is {100 * pace.data_share:.0f} % of the time of a step{use}"
    if (pace.data_longest or 0.0) > 20 * (pace.step_seconds or 1.0):
        told = (
            f"{pace.data_name} is {100 * pace.data_share:.0f} % of all time, the longest {pace.data_longest:.0f} s{use}"
        )
    yield Finding(told, step=pace.steps[-1] if pace.steps else None)
