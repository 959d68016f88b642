"""Whether it happens again, at the same step.

## Why it is asked
What comes back at the same step with the same seed lies in the data or the code; what comes at another one, in chance
or in the machine.

## How it is answered
From restarts of the run that a log tells of.
"""

from stetho.facts import Restarts
from stetho.question import Question, Way


def from_restarts(restarts: Restarts, step: int | None) -> str:
    if not restarts.from_steps:
        return ""
    ends = ", ".join(str(one) for one in restarts.from_steps[:5])
    return f"it was started again after step {ends}"


happens_again = Question(
    id="happens-again",
    short="repeats",
    asks="Does it happen again, at the same step, with the same seed?",
    about=("loss-nonfinite", "loss-diverging", "crash", "killed", "hang", "results-vary", "loss-spike"),
    ways=(
        Way(
            Restarts,
            from_restarts,
            {
                "twice": (
                    {"lines": [40, 90], "from_steps": [120, 240], "to_steps": [100, 200]},
                    None,
                    "it was started again after step 120, 240",
                ),
                "no step is known": ({"lines": [40]}, None, ""),
            },
        ),
    ),
    otherwise="`stetho why -- COMMAND` runs it again on the same seed",
)
