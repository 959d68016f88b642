from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Pace

IDLE = {"steps": [], "seconds": [], "device_use": [0.0, 0.0], "device_held": 0.001, "device_left_out": True}


@check(
    reads=Pace,
    root="use of the accelerators",
    background=0.02,
    given={"env/device-unused": 0.9, "none/healthy": 0.01, "other/unlisted": 0.02},
    fires={"idle and empty, and the log says so": IDLE},
    quiet={
        "they compute": {**IDLE, "device_use": [0.0, 61.0]},
        "their memory is in use": {**IDLE, "device_held": 0.4},
        "the log does not say that it goes without": {**IDLE, "device_left_out": False},
        "no accelerator was looked at": {**IDLE, "device_use": [], "device_held": None},
    },
)
def accelerators_idle(pace: Pace, *, idle: float = 3.0, empty: float = 0.05) -> Iterator[Finding]:
    """The machine has accelerators that are idle and empty, and the run's log says that it uses none.

    ## Why it matters
    The training is slower by one or two orders of magnitude than it need be.

    ## False alarms
    A run that is meant for the processor, on a machine whose accelerators somebody else had been given.
    """
    if not pace.device_left_out or not pace.device_use or max(pace.device_use) > idle:
        return
    if pace.device_held is None or pace.device_held < empty:
        count = len(pace.device_use)
        yield Finding(f"{count} accelerator{'s' * (count > 1)} computed {max(pace.device_use):.0f} % of the time")
