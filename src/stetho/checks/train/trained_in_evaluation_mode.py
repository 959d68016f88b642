from collections.abc import Iterator
from typing import Any

from stetho.check import Finding, check
from stetho.facts import Coverage, Modes, Recorded, Resumed

TRAIN = {"training": True, "grad": True, "step": 0, "where": None, "dropouts_in_training": 2}
STILL = {"training": False, "grad": True, "step": 50, "where": None, "dropouts_in_eval": 2}
PLAIN = {"training": False, "grad": True, "step": 50, "where": None, "dropouts_in_eval": 0, "norms_in_eval": 0}


def example(train: int, evaluated: int, use: dict[str, Any] = STILL, **other: Any) -> dict[str, Any]:
    calls = [{"training": True, "grad": True, "calls": train}, {"training": False, "grad": True, "calls": evaluated}]
    return {
        "modes": {"uses": [TRAIN, use], "calls": calls},
        "recorded": {"steps": 500, "recorded": 500, "thinned": False, "full": False, "faults": 0},
        "optimizer-coverage": {"reached": 100, "left_out": 0},
        **other,
    }


LOAD = {
    "what": "model", "name": "Net", "keys": 9, "missing": [], "unexpected": [], "strict": True, "where": None,
    "step": 0,
}  # fmt: skip


@check(
    reads=(Modes, Recorded, Coverage),
    also=Resumed,
    root="mode-of-training",
    background=0.02,
    fires={"from the first evaluation on": example(50, 450), "from the start": example(0, 500)},
    quiet={
        "evaluated without no_grad": example(500, 90),
        "no layer that minds": example(50, 450, PLAIN),
        "loaded weights, fine-tuned so on purpose": example(0, 500, resumed={"loads": [LOAD]}),
        "only the input is optimized": example(0, 500, **{"optimizer-coverage": {"reached": 100, "left_out": 90}}),
        "a fixed part beside the one that learns": example(500, 500),
    },
)
def trained_in_evaluation_mode(
    modes: Modes, recorded: Recorded, coverage: Coverage, resumed: Resumed | None, *, share: float = 0.4
) -> Iterator[Finding]:
    """The model is in evaluation mode while it is trained, with layers inside it that behave otherwise then.

    ## Why it matters
    Dropout does nothing, and batch normalisation uses statistics that nothing updates any more.

    ## False alarms
    Fine-tuning of loaded weights with their statistics kept; evaluation that does not switch gradients off.
    """
    minds = [
        u for u in modes.uses if u.grad and not u.training and ((u.norms_in_eval or 0) + (u.dropouts_in_eval or 0))
    ]
    loads = [one for one in (resumed.loads if resumed is not None else ()) if one.what == "model" and one.step == 0]
    if not minds or loads or 2 * coverage.left_out > coverage.reached:
        return
    right, wrong = (sum(c.calls for c in modes.calls if c.grad and c.training == mode) for mode in (True, False))
    missing = recorded.steps - right
    if missing >= share * recorded.steps and wrong >= missing:
        places = tuple(p for p in (*modes.switches[-2:], minds[0].where) if p is not None)
        yield Finding(
            f"{missing} of {recorded.steps} steps or more are taken with the model in evaluation mode", where=places
        )
