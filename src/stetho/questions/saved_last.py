"""The checkpoint that the run can go on from, and how much was done after it.

## Why it is asked
What was learned after the last whole checkpoint is lost; a newer one that is cut off must not be taken instead.

## How it is answered
From the checkpoints on disk: the newest whole one, how long before the last line of the log it was written, and
newer ones that are not whole.
"""

from stetho.facts import Checkpoints
from stetho.question import Question, Way

OLD = {"format": "torch", "state": "whole", "file": "a.pt", "size": 9, "modified": 1000.0}
CUT = {"format": "torch", "state": "truncated", "file": "b.pt", "size": 5, "modified": 4000.0}


def from_disk(saved: Checkpoints, step: int | None) -> str:
    whole = [one for one in saved.found if one.state == "whole"]
    if not whole:
        return f"none is whole; {saved.found[-1].file} is {saved.found[-1].state}" if saved.found else ""
    last = max(whole, key=lambda one: one.modified)
    broken = [one for one in saved.found if one.state != "whole" and one.modified >= last.modified]
    before = (saved.last_line or last.modified) - last.modified
    age = f", {minutes(before)} before the last line of the log" if before >= 60 else ""
    newer = f"; {broken[-1].file} is {broken[-1].state}" if broken else ""
    return f"{last.file}{age}{newer}"


def minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


saved_last = Question(
    id="saved-last",
    short="goes on from",
    asks="Which checkpoint can the run go on from?",
    about=("crash", "killed", "hang", "loss-nonfinite", "loss-diverging"),
    ways=(
        Way(
            Checkpoints,
            from_disk,
            {
                "whole, some time ago": (
                    {"found": [OLD], "last_line": 10000.0},
                    None,
                    "a.pt, 2.5 h before the last line of the log",
                ),
                "a newer one is cut off": ({"found": [OLD, CUT]}, None, "a.pt; b.pt is truncated"),
                "none is whole": ({"found": [CUT]}, None, "none is whole; b.pt is truncated"),
                "nothing was saved": ({"found": []}, None, ""),
            },
        ),
    ),
    otherwise="look for the newest file that it saved",
)
