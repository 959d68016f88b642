import re
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.symptoms.loss_slow import STOPS
from stetho.facts import Config, RateAndLoss

EPOCHS = re.compile(r"(?i)(^|[._-])((num|max|n|total|train)[._-]?)*epochs?$")


def config(**values: float) -> dict[str, object]:
    return {"format": "yaml", "values": [{"key": k, "text": str(v), "number": v} for k, v in values.items()]}


@check(
    reads=(RateAndLoss, Config),
    root="schedule-unit",
    fires={
        "50 epochs, gone after 50 steps": {
            "rate-and-loss": {**STOPS, "gone_epoch": 0.0}, "config": config(epochs=50, batch_size=128),
        }
    },
    quiet={
        "gone at another step": {
            "rate-and-loss": {**STOPS, "gone_step": 700, "gone_epoch": 3.0}, "config": config(epochs=50),
        },
        "gone after 50 epochs of one step each": {
            "rate-and-loss": {**STOPS, "gone_epoch": 50.0}, "config": config(epochs=50),
        },
        "late in the run": {
            "rate-and-loss": {**STOPS, "share": 0.1, "gone_epoch": 0.0}, "config": config(epochs=50),
        },
    },
)  # fmt: skip
def schedule_counted_in_steps(schedule: RateAndLoss, config: Config, *, share: float = 0.5) -> Iterator[Finding]:
    """The rate is gone after as many steps as the run was to have epochs.

    ## Why it matters
    The schedule was made for epochs and is stepped at every batch: it ends in the first of them.

    ## False alarms
    Epochs of a single step; where the log says in which epoch it was, such a run is told apart.
    """
    for value in config.values:
        if value.number is None or value.number < 4 or not EPOCHS.search(value.key):
            continue
        near = abs(schedule.gone_step - value.number) <= max(schedule.stride, 0.05 * value.number)
        early = schedule.gone_epoch is None or schedule.gone_epoch < 0.5 * value.number
        if near and early and schedule.share >= share:
            yield Finding(
                f"{value.key} is {value.text} and the rate is gone at step {schedule.gone_step}, not after "
                f"{value.text} epochs",
                step=schedule.gone_step,
            )
            return
