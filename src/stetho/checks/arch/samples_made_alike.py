from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Activations, InputScale, LayerActivations


def layer(name: str, kind: str, varies: float | None) -> dict[str, object]:
    return {
        "name": name, "kind": kind, "where": {"file": "net.py", "line": 9}, "samples": 6, "mean_first": 0.1,
        "mean_last": 0.1, "std_first": 0.2, "std_last": 0.2, "varies": varies,
    }  # fmt: skip


def run(*layers: dict[str, object]) -> dict[str, object]:
    return {"activations": {"steps": [0, 1, 50], "layers": list(layers)}}


def beside(spread: float, *layers: dict[str, object]) -> dict[str, object]:
    inputs = {"mean": 0.0, "std": 1.0, "low": -3.0, "high": 3.0, "feature_spread": 1.0, "nonfinite": 0,
              "features": [{"mean": 0.0, "std": spread}]}  # fmt: skip
    return {**run(*layers), "input-scale": inputs}


@check(
    reads=Activations,
    also=(InputScale,),
    root="norm-use",
    background=0.01,
    given={"other/unlisted": 0.02},
    fires={
        "normalised over time, then averaged over time": run(
            layer("conv", "Conv1d", 0.9), layer("norm", "InstanceNorm1d", 0.8), layer("head", "Linear", 1e-7)
        ),
        "over an axis of one value": beside(
            1.0, layer("norm", "LayerNorm", 0.0), layer("gru", "GRU", 0.0), layer("head", "Linear", 0.0)
        ),
        "the same inside the model": run(
            layer("embed", "Linear", 0.8), layer("norm", "GroupNorm", 0.0), layer("head", "Linear", 0.0)
        ),
    },
    quiet={
        "as usual": run(layer("c", "Conv1d", 0.9), layer("n", "InstanceNorm1d", 0.8), layer("h", "Linear", 0.4)),
        "constant without a norm": run(layer("a", "Linear", 0.9), layer("r", "ReLU", 0.0), layer("h", "Linear", 0.0)),
        "constant all through": run(layer("a", "Linear", 0.0), layer("n", "LayerNorm", 0.0), layer("h", "Linear", 0.0)),
        "small batches of which nothing is known": run(layer("n", "InstanceNorm1d", None), layer("h", "Linear", None)),
        "constant inputs": beside(0.0, layer("n", "LayerNorm", 0.0), layer("h", "Linear", 0.0)),
        "a norm of what is learned, before the samples come in": beside(
            1.0, layer("n", "LayerNorm", 0.0), layer("attend", "MultiheadAttention", 0.5), layer("h", "Linear", 0.4)
        ),
        "one branch of several": run(
            layer("n", "LayerNorm", 0.7), layer("side", "Linear", 0.0), layer("head", "Linear", 0.4)
        ),
    },
)  # fmt: skip
def samples_made_alike(
    outputs: Activations, inputs: InputScale | None, *, alike: float = 1e-4, apart: float = 0.02
) -> Iterator[Finding]:
    """Behind a normalisation the model gives the same answer to every sample, while before it they still differed.

    ## Why it matters
    What is normalised over an axis and then averaged over it is zero for every sample, and so is what is normalised
    over an axis of one value: nothing is left to tell them apart, and no training brings it back.

    ## False alarms
    Models that have collapsed for other reasons give nearly the same answers, not the same to the last digits; and the
    samples must differ up to a normalisation shortly before.
    """
    known = [one for one in outputs.layers if one.varies is not None and not one.kind.endswith("Loss")]
    first = len(known)
    while first > 0 and (known[first - 1].varies or 0.0) < alike:
        first -= 1
    if first < len(known) and is_norm(known[first]):
        own = known[first]
        differ = known[first - 1].varies if first else spread(inputs)
        if differ is not None and differ > apart:
            yield Finding(
                f"what {own.name} ({own.kind}) gives is the same for every sample, to {own.varies:.1g} of its size, "
                "and so is all behind it; what it is given differs",
                where=(own.where,) if own.where is not None else (),
            )
            return
    before = known[max(0, first - 4) : first]
    norms = [one for one in before if is_norm(one) and (one.varies or 0.0) > apart]
    if first < len(known) and norms:
        last = norms[-1]
        yield Finding(
            f"outputs of {last.name} ({last.kind}) differ from sample to sample by {last.varies:.2g} of their size, "
            f"those of {known[first].name} behind it by {known[first].varies:.1g}",
            where=tuple(dict.fromkeys(p for p in (last.where, known[first].where) if p is not None)),
        )


def spread(inputs: InputScale | None) -> float | None:
    """How far the samples that enter the model differ, beside their size; None where it is not known."""
    if inputs is None or not inputs.features:
        return None
    return max(one.std / max(abs(one.mean), one.std, 1e-12) for one in inputs.features)


def is_norm(one: LayerActivations) -> bool:
    """Whether a layer normalises within a sample."""
    return "Norm" in one.kind and "BatchNorm" not in one.kind
