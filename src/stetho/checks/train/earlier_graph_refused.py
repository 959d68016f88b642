from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.train.graph_refused import GONE
from stetho.facts import Crash, RefusedBackward, RunEnd

TWICE = {"exception": "RuntimeError", "message": "Trying to backward through the graph a second time (or directly …)"}
WRITTEN = {
    "exception": "RuntimeError",
    "message": "one of the variables needed for gradient computation has been modified by an inplace operation",
}
OLD = {"step": 1, "nodes": 598, "carried": 290}
FAILED = {"code": 1}


@check(
    reads=(RefusedBackward, Crash, RunEnd),
    root="age of the graph that a backward refuses",
    background=0.01,
    given={"env/exception": 0.02, "other/unlisted": 0.02},
    fires={
        "a state that is not detached": {"refused-backward": OLD, "crash": TWICE, "run-end": FAILED},
        "the same with retain_graph": {"refused-backward": OLD, "crash": WRITTEN, "run-end": FAILED},
    },
    quiet={
        "two losses of one step": {"refused-backward": {**OLD, "carried": 0}, "crash": TWICE, "run-end": FAILED},
        "another error": {
            "refused-backward": OLD, "crash": {"exception": "RuntimeError", "message": "out of memory"},
            "run-end": FAILED,
        },
        "caught by the program": {"refused-backward": OLD, "crash": TWICE, "run-end": {"code": 0}},
    },
)  # fmt: skip
def earlier_graph_refused(refused: RefusedBackward, crash: Crash, end: RunEnd) -> Iterator[Finding]:
    """Backward stops at a part of the graph that was computed in an earlier step.

    ## Why it matters
    That part was used up by the earlier step's backward, or its weights have changed since.

    ## False alarms
    Graphs that were made and used twice within one step are not counted: they are kept with `retain_graph`.
    """
    if end.code and refused.carried and any(words in crash.message for words in GONE):
        entered = f", which enters at {refused.entered[0]}" if refused.entered else ""
        yield Finding(
            f"{refused.carried} of the {refused.nodes} nodes behind the loss of step {refused.step} are of an earlier "
            f"step{entered}: {crash.message.partition('(')[0].strip()}",
            where=refused.entered[:3] or ((crash.where,) if crash.where else ()),
            step=refused.step,
        )
