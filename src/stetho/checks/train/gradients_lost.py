from collections.abc import Iterator
from typing import Any

from stetho.check import Finding, check
from stetho.facts import CallOrder, Coverage, LayerGradient, LayerGradients, LayerUpdates, ParameterStates

LAYER = {"optimizer": 0, "size": 8, "first": 0.5, "last": 0.4, "median": 0.4, "lowest": 0.1, "highest": 0.9}
NONE = {"first": None, "last": None, "median": None, "lowest": None, "highest": None, "samples": 12, "absent": 12}
ZERO = {"first": 0.0, "last": 0.0, "median": 0.0, "lowest": 0.0, "highest": 0.0, "samples": 12, "zero": 12}
MOVED = {"optimizer": 0, "size": 8, "first": 0.1, "last": 0.1, "median": 0.1, "highest": 0.1, "samples": 12}
STILL = {"layer-updates": {"steps": list(range(12)), "layers": [{**MOVED, "name": "Net.0", "unchanged": 12}]}}


def example(gradients: list[dict[str, Any]], still: int = 12, idle: int = 0, letters: str = "fbs") -> dict[str, Any]:
    layers = [{**LAYER, "name": f"Net.{i}", **one} for i, one in enumerate(gradients)]
    names = [layer["name"] for layer in layers if layer.get("absent")]
    pattern = {"order": letters, "letters": letters, "steps": 90, "first": 0}
    updates = [{**MOVED, "name": name, "unchanged": still} for name in names]
    return {
        "layer-gradients": {"steps": list(range(12)), "layers": layers},
        "optimizer-coverage": {"reached": 100, "left_out": 0, "idle": idle},
        "parameter-states": {"no_gradient": names},
        "call-order": {"optimizer": "SGD", "steps": 90, "patterns": [pattern], "distinct": 1},
        "layer-updates": {"steps": list(range(12)), "layers": updates},
    }


@check(
    reads=(LayerGradients, Coverage, ParameterStates, CallOrder),
    also=LayerUpdates,
    root="gradients-at-step",
    background=0.01,
    fires={
        "cleared before the step": example([NONE, NONE], letters="fbzs"),
        "those of the second optimizer": example([{"samples": 12}, NONE]),
        "set to zero before the step": example([ZERO, ZERO], letters="zfbzcs"),
        "a head, set to zero before the next loss": {**example([ZERO, {"samples": 12}], letters="zfbzfbs"), **STILL},
    },
    quiet={
        "every step has its gradients": example([{"samples": 12}, {"samples": 12}]),
        "a head that the loss does not reach": example([{"samples": 12}, NONE], idle=8),
        "zero without being cleared, as of dead units": example([ZERO, ZERO], letters="zfbs"),
        "a head of dead units, trained by attacks": example([ZERO, {"samples": 12}], letters="zfbzfbs"),
        "a head that one of several losses reaches, added up": {
            **example([ZERO, {"samples": 12}], letters="zfbfbs"),
            **STILL,
        },
        "applied by the program itself": example([NONE, NONE], still=0),
        "a part trained from the second epoch on": example([{"samples": 12}, {**NONE, "absent": 6}]),
        "backward for an attack, cleared, then backward for the step": example([{"samples": 12}], letters="zfbzfbs"),
    },
)
def gradients_lost(
    gradients: LayerGradients,
    coverage: Coverage,
    states: ParameterStates,
    order: CallOrder,
    updates: LayerUpdates | None,
    *,
    least: int = 3,
    share: float = 0.9,
) -> Iterator[Finding]:
    """Backward gives parameters a gradient, and it is gone when their optimizer steps.

    ## Why it matters
    The step has nothing to go by: these parameters stay as they are, whatever the learning rate.

    ## False alarms
    Parameters that the loss does not reach have no gradient either; they are told apart by the loss's own graph.
    """
    places = tuple(dict.fromkeys((*order.clearings, *((order.step_at,) if order.step_at else ()))))
    told = set(states.no_gradient or ())
    still = {u.name for u in updates.layers if u.unchanged == u.samples} if updates is not None else told
    gone = [g for g in gradients.layers if g.absent == g.samples >= least and g.name in told & still]
    if gone and not coverage.idle and coverage.reached:
        yield Finding(f"{named(gone)} no gradient at any step, though the loss reaches them", where=places)
        return
    zero = [g for g in gradients.layers if g.zero == g.samples >= least]
    cleared = sum(p.steps for p in order.patterns if cleared_last(p.letters))
    between = sum(p.steps for p in order.patterns if cleared_between(p.letters))
    whole = len(zero) == len(gradients.layers) and cleared >= share * order.steps
    part = not coverage.idle and {g.name for g in zero} <= still_all(updates) and between >= share * order.steps
    if zero and (whole or part):
        yield Finding(f"{named(zero)} a gradient of exactly 0 at every step: cleared after backward", where=places)


def still_all(updates: LayerUpdates | None) -> set[str]:
    """The parameters that no step has changed; none where nobody has looked."""
    return {u.name for u in updates.layers if u.unchanged == u.samples} if updates is not None else set()


def cleared_between(letters: str) -> bool:
    """Whether what a backward has made is cleared before another backward of the same step."""
    first, last = letters.find("b"), letters.rfind("b")
    return "z" in letters[first + 1 : max(0, last)]


def cleared_last(letters: str) -> bool:
    """Whether gradients are cleared after the last backward of a step."""
    return "z" in letters[letters.rfind("b") + 1 :] and "b" in letters


def named(layers: list[LayerGradient]) -> str:
    names = ", ".join(layer.name for layer in layers[:3]) + (" …" if len(layers) > 3 else "")
    return f"{len(layers)} parameters ({names}) have"
