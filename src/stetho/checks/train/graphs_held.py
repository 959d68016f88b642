from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import KeptGraphs

SEEN = [0, 1, 2, 5, 10, 20, 50, 100, 200]
MARKED = [0, 0, 1, 3, 4, 5, 6, 7, 8]
STEADY = {"steps": SEEN, "nodes": [85] * 9, "carried": [0] * 9, "marked": MARKED}
TOTAL = [{"name": "total", "where": {"file": "train.py", "line": 17}}]


@check(
    reads=KeptGraphs,
    root="kept-graphs",
    background=0.01,
    fires={"losses are summed with their graphs": {**STEADY, "held": MARKED, "holders": TOTAL}},
    quiet={
        "nothing is kept": {**STEADY, "held": [0] * 9},
        "the best loss so far": {**STEADY, "held": [0, 0, 1, 1, 1, 1, 1, 1, 1]},
        "summed within an epoch of 50 steps": {**STEADY, "held": [0, 0, 1, 3, 4, 5, 0, 0, 0]},
        "too few to tell": {
            "steps": [0, 1, 2, 5], "nodes": [85] * 4, "carried": [0] * 4, "marked": [0, 0, 1, 3], "held": [0, 0, 1, 3],
        },
    },
)  # fmt: skip
def graphs_held(kept: KeptGraphs, *, share: float = 0.7, least: int = 5) -> Iterator[Finding]:
    """The program holds on to the graphs of nearly all steps it has made.

    ## Why it matters
    Every step leaves its graph behind, and with `retain_graph` all that was computed in it: memory grows until it ends.

    ## False alarms
    Single values that are kept, such as the best loss so far, and what is given up again at the end of each epoch.
    """
    held, marked = kept.held[-1], kept.marked[-1]
    if held < least or held < share * marked:
        return
    names = [f"`{one.name}`" + (f" ({one.where})" if one.where else "") for one in kept.holders[:2]]
    by = f", by {' and '.join(names)}" if names else ""
    yield Finding(
        f"of {marked} earlier steps looked at, the graphs of {held} are still held at step {kept.steps[-1]}{by}",
        where=tuple(one.where for one in kept.holders if one.where is not None)[:2],
        step=kept.steps[-1],
    )
