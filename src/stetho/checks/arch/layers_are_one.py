from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Influence, Models

LINE = {"affine": True, "layers": 3}
NET = {
    "models": [{"name": "Net", "where": {"file": "train.py", "line": 20}, "parameters": 900, "trainable": 900}]
}  # fmt: skip


@check(
    reads=Influence,
    also=Models,
    root="one linear map",
    background=0.01,
    given={"other/unlisted": 0.01},
    fires={"three layers, one line": {"influence": LINE}, "and who they belong to": {"influence": LINE, "models": NET}},
    quiet={
        "activations between them": {"influence": {**LINE, "affine": False}},
        "a single layer, as it is meant": {"influence": {**LINE, "layers": 1}},
        "not known": {"influence": {"samples": 8, "mixed": 0}},
    },
)
def layers_are_one(influence: Influence, models: Models | None) -> Iterator[Finding]:
    """Several layers together are one linear map: nothing between them bends it.

    ## Why it matters
    However many layers there are, they can learn no more than a single one.

    ## False alarms
    A factorisation of a matrix is linear on purpose, and so is a projection; this alone is no fault.
    """
    if influence.affine and influence.layers >= 2:
        places = [one.where for one in models.models if one.where is not None] if models is not None else []
        yield Finding(
            f"the answer to a mean of two samples is the mean of their answers: {influence.layers} layers are one "
            "linear map",
            where=tuple(places[:1]),
        )
