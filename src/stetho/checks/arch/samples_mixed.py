from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Influence

# Ways of bringing samples together that nobody means; a graph, a set or a hand-written batch norm is another matter.
UNMEANT = ("reshape", "recurrent", "softmax", "attention")


def tried(mixed: int, manner: str, operation: str = "view") -> dict[str, object]:
    return {
        "samples": 32, "mixed": mixed, "operation": operation, "manner": manner, "shapes": [[32, 20, 8], [20, 32, 8]],
        "mixed_at": [{"file": "net.py", "line": 17}],
    }  # fmt: skip


@check(
    reads=Influence,
    root="sample-influence",
    background=0.01,
    given={"other/unlisted": 0.02},
    fires={
        "view where transpose was meant": tried(12, "reshape"),
        "a recurrent layer that takes samples for time": tried(31, "recurrent", "lstm"),
        "softmax over the batch": tried(31, "softmax", "softmax"),
    },
    quiet={
        "each on its own": tried(0, ""),
        "a graph or a set": tried(31, "other", "matmul"),
        "centred over the batch by hand": tried(31, "other", "mean"),
        "not tried": {"places": 8, "leaking": 0},
    },
)
def samples_mixed(influence: Influence) -> Iterator[Finding]:
    """What the model answers for one sample changes when another sample of the batch is replaced.

    ## Why it matters
    Each label is compared with an answer that is partly about other samples, drawn anew in each batch: what there is to
    learn is buried in what cannot be learned.

    ## False alarms
    Batch normalisation and dropout were switched off for the trial. Models that are told how samples belong together,
    as graphs, and those that compare all with all, are left alone; only reshaping, recurrence, attention and softmax
    along the samples count.
    """
    if not influence.mixed or influence.manner not in UNMEANT:
        return
    shapes = [" x ".join(map(str, shape)) for shape in influence.shapes]
    how = (
        f"from {shapes[0]} to {shapes[1]}" if influence.manner == "reshape" and len(shapes) == 2 else "over the samples"
    )
    yield Finding(
        f"replacing one of {influence.samples} samples changes the answers to {influence.mixed} others: "
        f"{influence.operation} goes {how}",
        where=influence.mixed_at[:2],
    )
