from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Activations


def norm(count: int | None, kind: str = "BatchNorm1d") -> dict[str, object]:
    return {
        "steps": [0, 1, 50],
        "layers": [
            {
                "name": "Net.bn", "kind": kind, "where": {"file": "net.py", "line": 9}, "samples": 6, "mean_first": 0.0,
                "mean_last": 0.0, "std_first": 1.0, "std_last": 1.0, "values_per_unit": count,
            }
        ],
    }  # fmt: skip


@check(
    reads=Activations,
    root="norm-use",
    background=0.02,
    given={"other/unlisted": 0.02},
    fires={"batches of two": norm(2)},
    quiet={
        "batches of thirty-two": norm(32),
        "two images of many points": norm(2 * 28 * 28, "BatchNorm2d"),
        "a layer norm": norm(None, "LayerNorm"),
    },
)
def batch_norm_starved(outputs: Activations, *, few: int = 3) -> Iterator[Finding]:
    """Batch normalisation takes its mean and spread from two or three values.

    ## Why it matters
    Of two values, one becomes minus one and the other plus one, whatever they were.

    ## False alarms
    Images and sequences bring many values of each channel, however small the batch.
    """
    starved = [one for one in outputs.layers if one.values_per_unit is not None and 1 < one.values_per_unit <= few]
    if starved:
        one = starved[0]
        yield Finding(
            f"{one.name} normalises over {one.values_per_unit} values of each unit",
            where=(one.where,) if one.where else (),
        )
