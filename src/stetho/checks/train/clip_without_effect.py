from collections.abc import Iterator
from math import isfinite
from typing import Any

from stetho.check import Finding, check
from stetho.facts import CallOrder, Clipping


def example(letters: str, limit: float = 1.0, steps: int = 95) -> dict[str, Any]:
    pattern = {"order": letters, "letters": letters, "steps": steps, "first": 1}
    other = {"order": "zfbs", "letters": "zfbs", "steps": 100 - steps, "first": 0}
    return {
        "call-order": {"optimizer": "SGD", "steps": 100, "patterns": [pattern, other], "distinct": 2},
        "clipping": {
            "calls": steps, "fired": 90, "steps_in_all": 100, "limit_first": limit, "limit_last": limit,
            "norms": [4.0, 5.0], "limits": [limit, limit], "steps": [1, 2],
        },
    }  # fmt: skip


@check(
    reads=(CallOrder, Clipping),
    root="clip-order",
    background=0.03,
    fires={
        "after the step": example("czfbs"),
        "before backward": example("zcfbs"),
        "before the scale is taken out": example("zfbcus"),
    },
    quiet={
        "between backward and step": example("zfbcs"),
        "after the scale is taken out": example("zfbucs"),
        "a norm measured for the log, with no limit": example("czfbs", limit=float("inf")),
        "a norm measured now and then": example("czfbs", steps=10),
        "twice, for two parts of the model": example("czfbcs"),
    },
)
def clip_without_effect(order: CallOrder, clip: Clipping, *, share: float = 0.8) -> Iterator[Finding]:
    """Gradients are clipped when no step uses them any more, or before they are made.

    ## Why it matters
    The step uses the gradient as it is: one large one throws the model off, as if nothing were clipped.

    ## False alarms
    A norm that is only measured has no limit, or one that nothing passes.
    """
    if not isfinite(clip.limit_last) or clip.limit_last > 1e4:
        return
    clipping = [p for p in order.patterns if "c" in p.letters]
    late = [p for p in clipping if misplaced(p.letters)]
    count = sum(p.steps for p in late)
    if count >= share * order.steps and len(late) == len(clipping):
        when = late[0].order
        places = tuple(dict.fromkeys((*order.clips[:3], *((order.step_at,) if order.step_at else ()))))
        yield Finding(f"gradients are clipped out of turn in {count} of {order.steps} steps: {when}", where=places)


def misplaced(letters: str) -> bool:
    """Whether no clipping stands between the last backward and the step, or only one of gradients still scaled up."""
    after = letters[letters.rfind("b") + 1 :]
    return "b" in letters and ("c" not in after or ("u" in after and "c" not in after[after.index("u") :]))
