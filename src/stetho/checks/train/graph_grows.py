from collections.abc import Iterator
from itertools import pairwise

from stetho.check import Finding, check
from stetho.facts import KeptGraphs

SEEN = [0, 1, 2, 5, 10, 20, 50, 100]
QUIET = {"steps": SEEN, "held": [0] * 8, "marked": [0, 0, 1, 3, 4, 5, 6, 7]}


@check(
    reads=KeptGraphs,
    root="kept-graphs",
    background=0.01,
    fires={
        "a state that is never detached": {
            **QUIET, "nodes": [13 + 6 * s for s in SEEN], "carried": [6 * s for s in SEEN],
        },
        "each epoch begins anew": {
            **QUIET, "nodes": [40, 60, 80, 140, 240, 440, 60, 60], "carried": [0, 20, 40, 100, 200, 400, 20, 20],
        },
    },
    quiet={
        "detached at each step": {**QUIET, "nodes": [40] * 8, "carried": [0] * 8},
        "sequences get longer": {**QUIET, "nodes": [40 + 4 * s for s in SEEN], "carried": [0] * 8},
        "the last few steps on purpose": {
            **QUIET, "nodes": [40, 60, 80, 140, 140, 140, 140, 140], "carried": [0, 20, 40, 100, 100, 100, 100, 100],
        },
        "computed once and used again": {**QUIET, "nodes": [40] * 8, "carried": [0, *[8] * 7]},
        "too short to tell": {**QUIET, "steps": [0, 1, 2], "nodes": [10, 20, 30], "carried": [0, 10, 20]},
    },
)  # fmt: skip
def graph_grows(kept: KeptGraphs, *, late: int = 15, times: float = 1.5) -> Iterator[Finding]:
    """The graph behind the loss goes back further with every step.

    ## Why it matters
    Each backward goes through all earlier steps again: time and memory grow until one of them ends the run.

    ## False alarms
    Graphs that grow within one step, as with longer sequences, and those that go back a fixed number of steps.
    """
    seen = list(zip(kept.steps, kept.carried, kept.nodes, strict=True))
    for last in range(len(seen) - 1, 0, -1):
        step, carried, nodes = seen[last]
        before = [c for s, c, _ in seen[:last] if 0 < s <= step // 2]
        rises = all(a < b for (_, a, _), (_, b, _) in pairwise(seen[: last + 1]))
        if step >= late and len(before) >= 2 and rises and carried > times * max(before) and 2 * carried > nodes:
            entered = f"; what comes from them enters at {kept.entered[0]}" if kept.entered else ""
            yield Finding(
                f"{carried} of the {nodes} nodes behind the loss at step {step} were made in earlier steps, "
                f"{seen[1][1]} at step {seen[1][0]}{entered}",
                where=kept.entered[:3],
                step=step,
            )
            return
