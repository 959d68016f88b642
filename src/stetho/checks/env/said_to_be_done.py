from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Statements

DONE = {"phrase": "completed", "text": "Training complete in 12m", "line": 812}


@check(
    reads=Statements,
    root="words about being done",
    background=0.05,
    given={"none/healthy": 0.35, "none/slow-but-learning": 0.3},
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
            yield Finding(f"line {one.last_line or one.line}: {one.last_text or one.text}")
            return
