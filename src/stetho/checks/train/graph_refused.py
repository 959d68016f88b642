from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Crash, RunEnd

FAILED = {"code": 1}
# What torch says where a graph is gone, and where what it was made with has changed since.
GONE = ("backward through the graph a second time", "has been modified by an inplace operation")


@check(
    reads=(Crash, RunEnd),
    root="what a backward says",
    background=0.01,
    given={"train/hidden-state-carried": 0.98, "env/exception": 0.04, "other/unlisted": 0.02},
    fires={
        "a graph is gone": {
            "crash": {"exception": "RuntimeError", "message": "Trying to backward through the graph a second time"},
            "run-end": FAILED,
        },
    },
    quiet={"another error": {"crash": {"exception": "RuntimeError", "message": "out of memory"}, "run-end": FAILED}},
)
def graph_refused(crash: Crash, end: RunEnd) -> Iterator[Finding]:
    """Backward comes to a graph that is gone, or whose weights have changed since.

    ## Why it matters
    A value that was computed before the last backward or step is used once more, with its graph.

    ## False alarms
    Two losses of one step that share a part of the graph say the same.
    """
    if end.code and any(words in crash.message for words in GONE):
        yield Finding(crash.message.partition("(")[0].strip(), where=(crash.where,) if crash.where else ())
