from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Checkpoints, Statements

EMPTY = {"format": "unknown", "state": "empty", "file": "run/ckpt/step_2000.pt"}
SAVING = {"phrase": "checkpoint-saved", "text": "saving ckpt/step_2000.pt", "line": 42}


@check(
    reads=(Checkpoints, Statements),
    root="the end of a save",
    background=0.02,
    given={
        "env/checkpoint-corrupt": 0.7,
        "env/disk-full": 0.2,
        "env/killed": 0.1,
        "env/host-oom": 0.1,
        "other/unlisted": 0.02,
    },
    fires={"its last words": {"checkpoints": {"found": [EMPTY]}, "statements": {"said": [SAVING]}}},
    quiet={
        "the file is whole": {
            "checkpoints": {"found": [{**EMPTY, "state": "whole"}]},
            "statements": {"said": [SAVING]},
        },
        "it went on": {"checkpoints": {"found": [EMPTY]}, "statements": {"said": [{**SAVING, "lines_after": 50}]}},
        "another one was saved last": {
            "checkpoints": {"found": [EMPTY]},
            "statements": {"said": [{**SAVING, "text": "saving ckpt/step_3000.pt"}]},
        },
    },
)
def ends_while_saving(checkpoints: Checkpoints, statements: Statements, *, most_after: int = 2) -> Iterator[Finding]:
    """The log ends at the words that a checkpoint is being saved, and that checkpoint is broken.

    ## Why it matters
    The run was ended in the middle of the save, or the save itself could not go on: a full disk, a dead node.

    ## False alarms
    A run that is still alive and is saving at this moment.
    """
    for one in statements.of("checkpoint-saved"):
        text = one.last_text or one.text
        named = [saved for saved in checkpoints.found if saved.broken and saved.named_in(text)]
        if named and one.lines_after <= most_after:
            yield Finding(f"{one.told}; {named[0].file} is {named[0].state}")
            return
