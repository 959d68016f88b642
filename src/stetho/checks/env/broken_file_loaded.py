import re
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Checkpoint, Checkpoints, Crash

LOADING = re.compile(
    r"(?:^|/)(?:torch/serialization\.py|torch/distributed/checkpoint/[\w/]+\.py|safetensors/\w+\.py|pickle\.py"
    r"|zipfile\S*\.py|numpy/lib/\S*npyio\S*\.py) \w*(?:load|read|safe_open)"
    r"|torch/distributed/checkpoint/\w*loader\w*\.py "
)
# What loading raises when the file is well and something else is not.
ANOTHER_REASON = (
    "ModuleNotFoundError",
    "ImportError",
    "AttributeError",
    "PermissionError",
    "MemoryError",
    "OutOfMemoryError",
)
ANOTHER_MATTER = re.compile(r"CUDA device|[Mm]issing key|[Uu]nexpected key|size mismatch|[Ww]eights.only|out of memory")
CUT = {"format": "torch", "state": "truncated", "file": "ckpt/step_300.pt", "detail": "its directory is missing"}
READS = {
    "exception": "OSError", "message": "[Errno 22] Invalid argument",
    "calls": ["train.py main", "torch/serialization.py load", "torch/serialization.py __init__"],
}  # fmt: skip


@check(
    reads=(Checkpoints, Crash),
    root="state of the checkpoints",
    background=0.02,
    given={"other/unlisted": 0.02},
    fires={
        "a file that is cut": {"checkpoints": {"found": [CUT]}, "crash": READS},
        "a save that did not finish": {
            "checkpoints": {"found": [{"format": "distributed", "state": "incomplete", "file": "ckpt/step_200"}]},
            "crash": {"exception": "FileNotFoundError", "message": "No such file: 'ckpt/step_200/.metadata'"},
        },
    },
    quiet={
        "all are whole": {"checkpoints": {"found": [{**CUT, "state": "whole"}]}, "crash": READS},
        "it failed while saving": {
            "checkpoints": {"found": [CUT]},
            "crash": {**READS, "calls": ["torch/serialization.py save", "torch/serialization.py _save"]},
        },
        "another file is missing": {
            "checkpoints": {"found": [CUT]},
            "crash": {**READS, "exception": "FileNotFoundError", "message": "No such file: 'ckpt/step_400.pt'"},
        },
        "the class is missing, not the file": {
            "checkpoints": {"found": [CUT]},
            "crash": {**READS, "exception": "ModuleNotFoundError", "message": "No module named 'models'"},
        },
        "somewhere else": {"checkpoints": {"found": [CUT]}, "crash": {**READS, "calls": ["train.py main"]}},
    },
)  # fmt: skip
def broken_file_loaded(checkpoints: Checkpoints, crash: Crash) -> Iterator[Finding]:
    """The exception was raised while a saved file was loaded, and the file on disk is broken.

    ## Why it matters
    What the library says can be as little as "Invalid argument"; the file itself shows what is wrong with it.

    ## False alarms
    Another file may have been loaded than the one that is broken, where the exception names none.
    """
    one = broken_one(checkpoints, crash)
    if one is not None:
        shown = f" ({one.detail})" if one.detail else ""
        yield Finding(
            f"{one.file} is {one.state}{shown}, and loading it ended with {crash.exception}: {crash.message[:200]}",
            where=(crash.where,) if crash.where else (),
        )


def broken_one(checkpoints: Checkpoints, crash: Crash) -> Checkpoint | None:
    """The broken checkpoint that an exception was raised for; None where it was raised for something else."""
    broken = [one for one in checkpoints.found if one.broken]
    named = [one for one in broken if one.named_in(crash.message)]
    saving = any(re.search(r" _?(?:legacy_)?save", call) for call in crash.calls)
    loading = any(LOADING.search(call) for call in crash.calls)
    if crash.exception in ANOTHER_REASON or ANOTHER_MATTER.search(crash.message) or saving:
        return None
    guessed = broken if loading and crash.exception != "FileNotFoundError" else []
    return next(iter(named or guessed), None)
