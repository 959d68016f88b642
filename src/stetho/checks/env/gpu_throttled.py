from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Gpus

HOT = {"index": 1, "name": "A100", "use": [99, 98, 99], "temperature": 91, "throttled": ["sw-power", "hw-thermal"]}
SLOWED = {
    "hw-thermal": "it is too hot",
    "sw-thermal": "it is too hot",
    "hw-power-brake": "its power supply asks for less",
    "hw-slowdown": "its hardware asks for it",
}


@check(
    reads=Gpus,
    root="gpu clocks",
    background=0.01,
    fires={"too hot": {"gpus": [HOT]}},
    quiet={
        "at its power limit, as every busy device": {"gpus": [{**HOT, "temperature": 70, "throttled": ["sw-power"]}]},
        "idle": {"gpus": [{**HOT, "use": [0, 0, 0], "throttled": []}]},
    },
    given={"none/healthy": 0.01},
)
def gpu_throttled(gpus: Gpus) -> Iterator[Finding]:
    """A device runs slower than it could because of heat or power.

    ## Why it matters
    Steps take longer, and in a group of ranks all wait for the slowest.

    ## False alarms
    A cap on power alone is everyday and is not counted.
    """
    for gpu in gpus.gpus:
        why = [SLOWED[one] for one in gpu.throttled if one in SLOWED]
        if why:
            hot = f", {gpu.temperature} °C" if gpu.temperature is not None else ""
            yield Finding(f"GPU {gpu.index} is slowed down: {why[0]}{hot} ({', '.join(gpu.throttled)})")
