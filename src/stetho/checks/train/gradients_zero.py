from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import GradientNorms


@check(
    reads=GradientNorms,
    root="gradients-at-step",
    background=0.02,
    fires={"all zero": {"steps": list(range(20)), "norms": [0.0] * 20}},
    quiet={"some are not": {"steps": list(range(20)), "norms": [0.0] * 10 + [0.3] * 10}},
)
def gradients_zero(gradients: GradientNorms, *, least: int = 5) -> Iterator[Finding]:
    """Every step is taken on a gradient that is exactly zero.

    ## Why it matters
    Nothing can be learned: the gradient was cleared after backward, or the loss does not reach the parameters.

    ## False alarms
    A model whose units are all dead has exact zeros, too.
    """
    if len(gradients.norms) >= least and not any(gradients.norms):
        yield Finding(f"the gradient is exactly 0 in all {len(gradients.norms)} steps")
