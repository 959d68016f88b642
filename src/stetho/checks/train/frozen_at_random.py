from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import Frozen


@check(
    reads=Frozen,
    root="frozen",
    background=0.03,
    fires={"all but the last layer": {"elements": 1000, "frozen": 900, "random": 880}},
    quiet={
        "nothing is frozen": {"elements": 1000, "frozen": 0, "random": 0},
        "a loaded backbone": {"elements": 1000, "frozen": 900, "random": 0},
        "a small random projection": {"elements": 1000, "frozen": 150, "random": 150},
        "embeddings from a file": {"elements": 1000, "frozen": 600, "random": 0},
    },
    given={"none/healthy": 0.02},
)
def frozen_at_random(found: Frozen, *, share: float = 0.3) -> Iterator[Finding]:
    """A large part of a model in training asks for no gradient and still has its random start.

    ## Why it matters
    What is frozen does not learn. That is meant for weights which have learned already; these have not.

    ## False alarms
    Models that build on random features on purpose, as reservoirs do. Weights that were loaded, given as values or
    trained before do not count.
    """
    if found.random >= share * found.elements:
        yield Finding(
            f"{found.random} of {found.elements} elements of the model ask for no gradient and were neither loaded "
            "nor trained",
            where=found.switches,
        )
