from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.checks.symptoms.loss_slow import throttled
from stetho.facts import Clipping

ALWAYS = {
    "calls": 200, "fired": 200, "steps_in_all": 200, "limit_first": 0.01, "limit_last": 0.01,
    "steps": [0, 100, 199], "norms": [0.6, 0.7, 0.5],
}  # fmt: skip


@check(
    reads=Clipping,
    root="clipping",
    background=0.05,
    fires={"sixty times above the limit": ALWAYS},
    quiet={
        "a little above it": {**ALWAYS, "limit_last": 0.4},
        "half of the steps": {**ALWAYS, "fired": 100},
        "a few steps": {**ALWAYS, "calls": 5, "fired": 5},
    },
)
def clip_below_gradients(clip: Clipping, *, factor: float = 10.0) -> Iterator[Finding]:
    """The limit for the gradient norm is far below every norm.

    ## Why it matters
    Nothing is left of the gradient but its direction; with a plain optimizer a step is then that much shorter.

    ## False alarms
    Adaptive optimizers do not mind a constant factor.
    """
    if throttled(clip, factor=factor):
        middle = sorted(clip.norms)[len(clip.norms) // 2]
        yield Finding(
            f"gradients of norm {middle:.3g} are clipped to {clip.limit_last:.3g} at {clip.fired} of {clip.calls} steps"
        )
