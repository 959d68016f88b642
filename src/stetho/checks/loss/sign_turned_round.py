from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import LossCurve, LossInputs, Optimizers

VALUES = [-0.7 - 0.1 * i for i in range(40)]
SGD = {"name": "SGD", "where": None, "steps": 40}
MAXIMISES = {**SGD, "settings": [{"name": "maximize", "text": "True"}]}


@check(
    reads=LossCurve,
    also=(Optimizers, LossInputs),
    root="sign of the loss",
    background=0.005,
    given={"other/unlisted": 0.01},
    fires={
        "minus a cross-entropy": {"loss-curve": {"values": VALUES, "factor": -1.0}},
        "an optimizer that maximises": {
            "loss-curve": {"values": [2.0] * 40, "factor": 1.0},
            "optimizers": {"optimizers": [MAXIMISES]},
        },
    },
    quiet={
        "as the library computes it": {"loss-curve": {"values": [2.0] * 40, "factor": 1.0}},
        "divided by the batches": {"loss-curve": {"values": [0.5] * 40, "factor": 0.25}},
        "a likelihood of its own": {"loss-curve": {"values": VALUES}},
        "two players": {"loss-curve": {"values": VALUES, "factor": -1.0, "objectives": 2}},
        "minus a loss that is maximised": {
            "loss-curve": {"values": VALUES, "factor": -1.0},
            "optimizers": {"optimizers": [MAXIMISES]},
        },
    },
)
def sign_turned_round(curve: LossCurve, optimizers: Optimizers | None, losses: LossInputs | None) -> Iterator[Finding]:
    """What training makes small is minus a loss of the library's.

    ## Why it matters
    A loss measures how wrong the answers are; minimising minus the loss makes them as wrong as possible.

    ## False alarms
    Two players that work against each other take turns with the sign, and are left alone. A loss written with plain
    operations may be minus a likelihood by right, and is not looked at here.
    """
    if curve.factor is None or curve.objectives > 1:
        return
    used = [one for one in optimizers.optimizers if one.steps] if optimizers is not None else []
    maximised = bool(used) and all(any(s.name == "maximize" and s.text == "True" for s in one.settings) for one in used)
    if (curve.factor < 0) == maximised:
        return
    sites = [s for s in losses.sites if s.trained and s.function != "log_softmax"] if losses is not None else []
    names = " and ".join(dict.fromkeys(s.function for s in sites)) or "the library's loss"
    how = "the optimizer maximises" if maximised else f"backward is called on {curve.factor:.3g} times"
    places = (curve.made_at, curve.where, *(s.where for s in sites), *(one.where for one in used if maximised))
    yield Finding(f"{how} {names}", where=tuple(dict.fromkeys(p for p in places if p is not None)))
