from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Fingerprints, Influence

# Ways of bringing samples together that nobody means; a graph, a set or a hand-written batch norm is another matter.
UNMEANT = ("reshape", "recurrent", "softmax", "attention")


# Samples that were drawn anew beside others: then the first axis is theirs.
DRAWN = {"batches": 60, "samples": 2880, "distinct": 900, "same_as_before": 0, "distinct_batches": 60, "regrouped": 700}
LINES = {**DRAWN, "regrouped": 0}


def tried(mixed: int, manner: str, operation: str = "view", aside: bool = False) -> dict[str, dict[str, object]]:
    return {"influence": {
        "samples": 32, "mixed": mixed, "operation": operation, "manner": manner, "shapes": [[32, 20, 8], [20, 32, 8]],
        "mixed_at": [{"file": "net.py", "line": 17}], "aside": aside,
    }}  # fmt: skip


@check(
    reads=Influence,
    also=Fingerprints,
    root="sample-influence",
    background=0.01,
    given={"other/unlisted": 0.02},
    fires={
        "view where transpose was meant": tried(12, "reshape"),
        "a recurrent layer that takes samples for time": tried(31, "recurrent", "lstm"),
        "softmax over the batch": tried(31, "softmax", "softmax"),
        "attention over the samples, place by place": {
            **tried(31, "attention", "scaled_dot_product_attention", True),
            "fingerprints": DRAWN,
        },
    },
    quiet={
        "each on its own": tried(0, ""),
        "a graph or a set": tried(31, "other", "matmul"),
        "centred over the batch by hand": tried(31, "other", "mean"),
        "not tried": {"influence": {"places": 8, "leaking": 0}},
        "places come first, and samples after them": {
            **tried(31, "attention", "scaled_dot_product_attention", True),
            "fingerprints": LINES,
        },
    },
)
def samples_mixed(influence: Influence, drawn: Fingerprints | None, *, regrouped: int = 20) -> Iterator[Finding]:
    """What the model answers for one sample changes when another sample of the batch is replaced.

    ## Why it matters
    Each label is compared with an answer that is partly about other samples, drawn anew in each batch: what there is to
    learn is buried in what cannot be learned.

    ## False alarms
    Batch normalisation and dropout were switched off for the trial. Models that are told how samples belong together,
    as graphs, and those that compare all with all, are left alone; only reshaping, recurrence, attention and softmax
    along the samples count. Where the second axis keeps all apart, it may be that of the samples: then rows of the
    first must have been drawn anew, each time beside other rows. Where outputs and labels are as many as the second
    axis is long, it holds the samples, and only a reshape that takes them to the front counts.
    """
    if not influence.mixed or influence.manner not in UNMEANT:
        return
    if influence.aside and (drawn is None or drawn.regrouped < max(regrouped, 0.1 * drawn.distinct)):
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
