from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Resumed, WeightsRead

UNUSED = {"what": "file", "where": {"file": "train.py", "line": 9}, "elements": 1000, "fits": 990, "held": 0}
LOAD = {
    "what": "model", "name": "Net", "keys": 6, "missing": ["0.weight"], "unexpected": ["module.0.weight"],
    "strict": False, "where": {"file": "train.py", "line": 10}, "step": 0, "passed_over": 6,
}  # fmt: skip


def read(*sources: dict[str, object]) -> dict[str, object]:
    return {"weights-read": {"sources": list(sources)}}


@check(
    reads=WeightsRead,
    also=Resumed,
    root="checkpoint-keys",
    background=0.02,
    given={"train/weights-not-loaded": 0.93, "other/unlisted": 0.02},
    fires={
        "names with a prefix, passed over": {**read(UNUSED), "resumed": {"loads": [LOAD]}},
        "read, and a new model is trained": read(UNUSED),
        "loaded, then initialised anew but for the biases": read({**UNUSED, "held": 40}),
        "passed over, with a part that is alike as it grew out of the same seed": {
            **read({**UNUSED, "held": 800, "copied": 0}),
            "resumed": {"loads": [LOAD]},
        },
    },
    quiet={
        "all of it": read({**UNUSED, "held": 990}),
        "a new head on a body that was loaded": read({**UNUSED, "fits": 900, "held": 900}),
        "a teacher of the same build": read({**UNUSED, "elsewhere": 990}),
        "the mean of two checkpoints": read(UNUSED, UNUSED, {**UNUSED, "what": "state", "held": 990}),
        "passed over, and then loaded under other names": {
            **read({**UNUSED, "held": 990, "copied": 990}),
            "resumed": {"loads": [LOAD]},
        },
        "alike, and nothing was passed over": read({**UNUSED, "held": 800, "copied": 0}),
        "data in a file": read({**UNUSED, "fits": 0}),
        "a part of another model": read({**UNUSED, "fits": 300}),
    },
)
def weights_read_unused(
    read: WeightsRead, resumed: Resumed | None, *, fits: float = 0.5, taken: float = 0.25
) -> Iterator[Finding]:
    """Weights that fit the model shape by shape were read, and the first step uses none of them.

    ## Why it matters
    The model starts at random although somebody meant it to start from what was learned before.

    ## False alarms
    Weights that a teacher holds, and weights that were averaged or scaled on their way into the model, are in use.
    """
    sources = [s for s in read.sources if s.elements and s.fits >= fits * s.elements]
    loads = [one for one in resumed.loads if one.what == "model" and one.step == 0] if resumed is not None else []
    # Where a load took nothing at all, what is merely alike was not taken from it either.
    nothing = any(one.keys and one.missing and (one.passed_over or 0) >= one.keys for one in loads)
    held = {s: s.copied if nothing and s.copied is not None else s.held for s in sources}
    if not sources or any(held[s] > taken * s.fits or s.elsewhere > taken * s.fits for s in sources):
        return
    worst = max(sources, key=lambda s: s.fits)
    passed = [one for one in loads if one.unexpected and one.missing]
    places = tuple(dict.fromkeys(p for p in (*(o.where for o in passed or loads), worst.where) if p is not None))
    names = f": {passed[0].unexpected[0]} is not {passed[0].missing[0]}" if passed else ""
    yield Finding(
        f"of the weights that were read, {worst.fits} of the model's {worst.elements} elements fit, and {held[worst]} "
        f"of them are in it at the first step{names}",
        where=places,
    )
