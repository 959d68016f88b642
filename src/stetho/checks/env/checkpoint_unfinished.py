from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Checkpoints

OLD = {"format": "torch", "state": "whole", "file": "ckpt/step_1000.pt", "size": 8497, "tensors": 4}
NEW = {**OLD, "file": "ckpt/step_2000.pt"}


@check(
    reads=Checkpoints,
    root="state of the checkpoints",
    background=0.02,
    given={
        "env/checkpoint-corrupt": 0.9,
        "env/disk-full": 0.3,
        "env/killed": 0.15,
        "env/host-oom": 0.1,
        "env/hang": 0.1,
        "none/healthy": 0.01,
        "none/completed": 0.01,
        "other/unlisted": 0.02,
    },
    fires={
        "no byte": {"found": [OLD, {**NEW, "format": "unknown", "state": "empty", "size": 0}]},
        "cut": {"found": [OLD, {**NEW, "state": "truncated", "size": 5000}]},
        "much smaller than those before it": {
            "found": [OLD, {**OLD, "file": "ckpt/step_1500.pt"}, {**NEW, "size": 900}],
            "smaller": ["ckpt/step_2000.pt"],
        },
        "a distributed one without metadata": {
            "found": [{"format": "distributed", "state": "incomplete", "file": "ckpt/step_200"}]
        },
    },
    quiet={
        "all whole": {"found": [OLD, NEW]},
        "a whole one was saved after it": {"found": [{**OLD, "state": "truncated"}, NEW]},
        "none": {"found": []},
    },
)
def checkpoint_unfinished(checkpoints: Checkpoints) -> Iterator[Finding]:
    """The last checkpoint of the run is empty, cut, damaged, or was not finished.

    ## Why it matters
    It cannot be loaded: what the run learned since the one before is lost, and whatever resumes from it fails.

    ## False alarms
    A copy that is still under way, or a run that is saving at this moment, looks the same.
    """
    last = checkpoints.last
    if last is None:
        return
    whole = [one for one in checkpoints.found if not one.broken and one.file not in checkpoints.smaller]
    left = (
        f"; the last whole one is {max(whole, key=lambda one: (one.number or 0, one.modified)).file}" if whole else ""
    )
    if last.broken:
        shown = f" ({last.detail})" if last.detail else ""
        yield Finding(f"{last.file} is {last.state}{shown}{left}")
    elif last.file in checkpoints.smaller:
        yield Finding(f"{last.file} has {last.size} bytes and is clearly smaller than the others of its kind{left}")
