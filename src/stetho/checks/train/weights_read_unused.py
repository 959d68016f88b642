from collections.abc import Iterator, Sequence

from stetho.check import Finding, check
from stetho.facts import Load, Resumed, WeightsRead, WeightsSource

UNUSED = {"what": "file", "where": {"file": "train.py", "line": 9}, "elements": 1000, "fits": 990, "held": 0}
LOAD = {
    "what": "model", "name": "Net", "keys": 6, "missing": ["0.weight"], "unexpected": ["module.0.weight"],
    "strict": False, "where": {"file": "train.py", "line": 10}, "step": 0, "passed_over": 6,
}  # fmt: skip

# A head is trained on an encoder that is frozen, which nothing of the file has reached.
ENCODER = {**UNUSED, "elements": 60, "fits": 0, "idle": 1000, "idle_fits": 1000}
LATER = {**LOAD, "step": 300}


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
        "a frozen encoder that took nothing, under a head that is trained": {
            **read(ENCODER),
            "resumed": {"loads": [LATER]},
        },
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
        "a frozen encoder that took it all": {
            **read({**ENCODER, "elsewhere": 1000}),
            "resumed": {"loads": [{**LATER, "missing": [], "unexpected": [], "passed_over": 0}]},
        },
        "a frozen encoder that took nothing at first": {
            **read({**ENCODER, "elsewhere": 1000}),
            "resumed": {"loads": [LATER]},
        },
        "a frozen encoder, and nothing was passed over": read(ENCODER),
        "a small frozen model beside the one that is trained": {
            **read({**ENCODER, "elements": 5000}),
            "resumed": {"loads": [LATER]},
        },
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
    told = resumed.loads if resumed is not None else ()
    # A model of which nothing is trained has no first step: there, a load that took nothing has to tell.
    frozen = any(one.what == "model" and took_nothing(one) for one in told)
    idle = [s for s in read.sources if frozen and s.idle >= max(1, s.elements) and s.idle_fits >= fits * s.idle]
    sources = [s for s in read.sources if s.elements and s.fits >= fits * s.elements]
    if idle and not sources:
        yield from unused_beside(idle, told, taken)
        return
    loads = [one for one in told if one.what == "model" and one.step == 0]
    # Where a load took nothing at all, what is merely alike was not taken from it either.
    nothing = any(map(took_nothing, loads))
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


def took_nothing(one: Load) -> bool:
    """Whether a load passed over every entry that it was given."""
    return bool(one.keys and one.missing and (one.passed_over or 0) >= one.keys)


def unused_beside(sources: Sequence[WeightsSource], loads: Sequence[Load], taken: float) -> Iterator[Finding]:
    """What is said of a model that is called and not trained, where none of what it was to be given is in use."""
    if any(s.held > taken * s.fits or s.elsewhere > taken * s.idle_fits for s in sources):
        return
    worst, passed = max(sources, key=lambda s: s.idle_fits), next(one for one in loads if took_nothing(one))
    names = f": {passed.unexpected[0]} is not {passed.missing[0]}" if passed.unexpected else ""
    yield Finding(
        f"of the weights that were read, {worst.idle_fits} of {worst.idle} elements fit a model that is called and not "
        f"trained, and {worst.elsewhere} of them are in it at the first step{names}",
        where=tuple(dict.fromkeys(p for p in (passed.where, worst.where) if p is not None)),
    )
