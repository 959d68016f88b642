from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

DONE = {"phrase": "completed", "text": "Training complete in 12m", "line": 812}


@check(
    reads=Statements,
    root="words about being done",
    # A fault that does not end the program lets it come to its end and say so; what ends it does not.
    background=0.2,
    given={
        "none/healthy": 0.35,
        "none/slow-but-learning": 0.3,
        "other/unlisted": 0.2,
        "env/exception": 0.03,
        "env/host-oom": 0.03,
        "env/device-oom": 0.03,
        "env/disk-full": 0.03,
        "env/killed": 0.03,
        "env/hang": 0.03,
        "env/worker-crash": 0.03,
        "env/gpu-fault": 0.03,
        "env/version-mismatch": 0.03,
        "env/checkpoint-corrupt": 0.05,
        "env/slow-storage": 0.05,
        "dist/collective-mismatch": 0.03,
        "data/label-encoding": 0.03,
    },
    fires={"at the end of the log": {"said": [DONE]}},
    quiet={
        "much follows": {"said": [{**DONE, "lines_after": 500}]},
        "nothing is said": {"said": []},
    },
)
def said_to_be_done(statements: Statements, *, most_after: int = 10) -> Iterator[Finding]:
    """The program says at its end that it is done, or that it stops because nothing improves any more.

    ## Why it matters
    The end was meant: what ended the run need not be looked for.

    ## False alarms
    A program that says so although its training went wrong.
    """
    for one in statements.of("completed", "early-stop"):
        if one.lines_after <= most_after:
            yield Finding(one.told)
            return
