from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Checkpoints
from stetho.logged.weights import lost_weights

NAN = {"name": "fc.weight", "what": "nonfinite", "elements": 960, "bad": 960}
WELL = {"format": "torch", "state": "whole", "file": "1000.pt", "modified": 100.0, "tensors": 4, "scanned": 4}
LOST = {**WELL, "file": "2000.pt", "modified": 200.0, "flaws": [NAN, {**NAN, "name": "fc.bias"}]}


@check(
    reads=Checkpoints,
    root="weights in checkpoints",
    background=0.02,
    given={
        "num/exploding-gradients": 0.5,
        "num/log-of-zero": 0.5,
        "num/sqrt-at-zero": 0.5,
        "num/division-by-zero": 0.5,
        "num/overflow": 0.5,
        "num/half-precision": 0.5,
        "data/nonfinite-values": 0.5,
        "dist/one-rank-nonfinite": 0.5,
        "hp/lr-too-high": 0.3,
        "hp/no-warmup": 0.3,
        "data/inputs-unnormalized": 0.2,
        "other/unlisted": 0.2,
    },
    fires={
        "the newest one": {"found": [WELL, LOST]},
        "all of them": {"found": [{**LOST, "file": "1000.pt", "modified": 100.0}, LOST]},
        "a model of one tensor": {"found": [{**WELL, "scanned": 1, "flaws": [{**NAN, "bad": 3}]}]},
    },
    quiet={
        "all are well": {"found": [WELL, {**WELL, "file": "2000.pt", "modified": 200.0}]},
        "a later one is well": {"found": [LOST, {**WELL, "file": "3000.pt", "modified": 300.0}]},
        "a mask is infinite on purpose": {
            "found": [{**WELL, "flaws": [{**NAN, "name": "layers.0.attn.causal_mask", "bad": 480}]}],
        },
        "one table that waits to be filled": {"found": [{**WELL, "flaws": [{**NAN, "name": "statistics"}]}]},
        "a few elements of one table": {
            "found": [{**WELL, "flaws": [{**NAN, "name": "relative_position", "bad": 480}]}],
        },
        "nothing could be looked at": {"found": [{**WELL, "scanned": 0}]},
    },
)  # fmt: skip
def weights_lost(checkpoints: Checkpoints) -> Iterator[Finding]:
    """The newest checkpoint holds NaN or Inf for weights.

    ## Why it matters
    Nothing can be learned from there on, and the file is no use to go on from: an older one is.

    ## False alarms
    Masks and records of a best score are infinite on purpose and not counted, nor is a table that is so in part.
    """
    lost = lost_weights(checkpoints)
    if lost is not None:
        yield Finding(lost.words)
