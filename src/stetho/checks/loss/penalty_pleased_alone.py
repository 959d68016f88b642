from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Activations, LayerActivations, LossCurve, LossTerms

TASK = {
    "name": "mean",
    "where": {"file": "vae.py", "line": 51},
    "steps": 12,
    "first": 130.0,
    "last": 46.0,
    "share": 0.998,
}
PENALTY = {
    "name": "mul", "where": {"file": "vae.py", "line": 67}, "steps": 12, "first": 0.44, "last": 0.035, "share": 0.002,
}  # fmt: skip
CURVE = {"values": [130.0 * 0.98**i + 46 for i in range(200)]}


def layer(name: str, kind: str, varies: float | None) -> dict[str, object]:
    return {
        "name": name, "kind": kind, "where": {"file": "net.py", "line": 9}, "samples": 6, "mean_first": 0.1,
        "mean_last": 0.1, "std_first": 0.2, "std_last": 0.2, "varies": varies,
    }  # fmt: skip


def run(last: float | None, *parts: dict[str, object]) -> dict[str, object]:
    layers = [layer("enc", "Linear", 0.5), layer("code", "Linear", 0.8), layer("dec", "Linear", last)]
    return {
        "activations": {"steps": [0, 1, 50], "layers": layers},
        "loss-terms": {"parts": list(parts), "looked_at": 12},
        "loss-curve": CURVE,
    }


@check(
    reads=(Activations, LossTerms, LossCurve),
    root="terms of the loss",
    background=0.01,
    fires={"the code is emptied, and every answer is the same": run(0.06, TASK, PENALTY)},
    quiet={
        "answers follow the samples": run(0.5, TASK, PENALTY),
        "the penalty is still paid": run(0.06, TASK, {**PENALTY, "last": 0.3, "share": 0.1}),
        "one term": run(0.06, TASK),
        "not known how answers differ": run(None, TASK, PENALTY),
    },
)  # fmt: skip
def penalty_pleased_alone(
    outputs: Activations, terms: LossTerms, curve: LossCurve, *, alike: float = 0.12, gone: float = 0.2
) -> Iterator[Finding]:
    """A small term of the loss has been brought to nothing, and the model answers nearly the same to every sample.

    ## Why it matters
    What a penalty asks for is cheapest to give by saying nothing: where it weighs too much, the model learns to please
    it first, and what is left to tell samples apart is an average.

    ## False alarms
    Penalties that are small by right, beside answers that differ from sample to sample.
    """
    last = answers(outputs)
    if last is None or curve.objectives > 1 or len(terms.parts) < 2 or (last.varies or 0.0) > alike:
        return
    emptied = [
        part for part in terms.parts
        if (part.share or 0.0) < 0.02 and part.first > 0 and 0 <= part.last < gone * part.first
    ]  # fmt: skip
    seen = max((one.varies or 0.0 for one in outputs.layers), default=0.0)
    if emptied and seen > 3 * alike:
        yield Finding(
            f"{emptied[0].name} at {emptied[0].where} fell from {emptied[0].first:.3g} to {emptied[0].last:.3g}, and "
            f"answers differ from sample to sample by {last.varies:.0%} of their size",
            where=tuple(p for p in (emptied[0].where,) if p is not None),
        )


def answers(outputs: Activations) -> LayerActivations | None:
    """The layer that comes last and of which it is known how far its outputs differ."""
    known = [one for one in outputs.layers if one.varies is not None and not one.kind.endswith("Loss")]
    return known[-1] if known and outputs.layers and known[-1] is outputs.layers[-1] else None
