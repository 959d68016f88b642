from collections.abc import Iterator
from typing import Any

from stetho.check import Finding, check
from stetho.facts import CallOrder


def example(letters: str, backwards: float, steps: int = 40) -> dict[str, Any]:
    pattern = {"order": letters, "letters": letters, "steps": steps, "first": 0}
    return {"optimizer": "SGD", "steps": steps, "patterns": [pattern], "distinct": 1, "backwards": backwards}


@check(
    reads=CallOrder,
    root="steps-taken",
    background=0.01,
    fires={
        "the optimizer never steps": example("zfb", 1, steps=400),
        "one step for each pass over the data": example("zfb" * 20 + "s", 50, steps=6),
        "the same, cleared between forward and backward": example("fzb" * 43 + "s", 43, steps=8),
    },
    quiet={
        "a step for each backward": example("zfbs", 1),
        "gradients of eight batches are added up": example("fbfbfbfbfbfbfbfbsz", 8),
        "an attack of ten rounds before each step": example("zfb" * 11 + "s", 11),
        "a step that calls for its gradients itself, as that of LBFGS does": example("s" + "zfb" * 20, 20),
        "too few to tell": example("zfb", 1, steps=8),
    },
)
def gradients_unused(order: CallOrder, *, many: int = 16, least: int = 12) -> Iterator[Finding]:
    """Backward is called over and over, and no step uses what it makes.

    ## Why it matters
    Nothing is learned from a gradient that no step follows.

    ## False alarms
    Gradients that are added up before a step are used by it. Attacks call backward a few times for a step, and a
    closure is called by the step itself.
    """
    places = tuple(p for p in (order.step_at, order.backward_at) if p)
    if order.steps >= least and not any("s" in p.letters for p in order.patterns):
        yield Finding(f"backward is called {order.steps} times, and {order.optimizer} never steps", where=places)
        return
    wasted = sum(p.steps for p in order.patterns if cleared(p.letters) >= many - 1)
    if order.backwards is not None and order.backwards >= many and wasted >= 0.8 * order.steps:
        yield Finding(
            f"{order.backwards:.0f} backwards for each of {order.steps} steps, cleared before the next one: the step "
            "uses the last",
            where=places,
        )


def cleared(letters: str) -> int:
    """How many backwards are cleared before the step begins; those that come after are made inside it, by a closure."""
    wasted = waiting = 0
    for letter in letters.partition("s")[0]:
        if letter == "b":
            waiting += 1
        elif letter == "z":
            wasted, waiting = wasted + waiting, 0
    return wasted
