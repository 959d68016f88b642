from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Activations


def dropout(name: str, share: float | None, samples: int = 6) -> dict[str, object]:
    return {
        "name": name, "kind": "Dropout", "where": {"file": "net.py", "line": 9}, "samples": samples, "mean_first": 0.1,
        "mean_last": 0.1, "std_first": 0.2, "std_last": 0.2, "dropped": share,
    }  # fmt: skip


@check(
    reads=Activations,
    root="dropped-share",
    background=0.01,
    given={"other/unlisted": 0.02},
    fires={"one in twenty is left": {"steps": [0, 1, 50], "layers": [dropout("Net.2", 0.95)]}},
    quiet={
        "half": {"steps": [0, 1, 50], "layers": [dropout("Net.2", 0.5)]},
        "three quarters in one layer": {"steps": [0, 1, 50], "layers": [dropout("Net.2", 0.76)]},
        "in evaluation mode nothing is": {"steps": [0, 1, 50], "layers": [dropout("Net.2", 0.0)]},
        "no dropout": {"steps": [0, 1, 50], "layers": [dropout("Net.2", None)]},
    },
)
def most_is_dropped(layers: Activations, *, share: float = 0.82, least: int = 2) -> Iterator[Finding]:
    """Dropout takes away nearly all of what a layer passes on.

    ## Why it matters
    What is left of a sample changes from step to step so much that there is next to nothing to learn from.

    ## False alarms
    A share of a half is usual, and wide layers stand more; four in five gone is what this needs.
    """
    strong = [one for one in layers.layers if (one.dropped or 0.0) > share and one.samples >= least]
    if strong:
        worst = max(strong, key=lambda one: one.dropped or 0.0)
        yield Finding(
            f"dropout at {worst.name} makes {worst.dropped:.0%} of the values zero",
            where=tuple(dict.fromkeys(one.where for one in strong if one.where is not None))[:3],
        )
