from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.curves import held_constant
from stetho.facts import GradientNorms

STEPS = list(range(60))


@check(
    reads=GradientNorms,
    root="clipping",
    background=0.03,
    fires={"scaled to one length by hand": {"steps": STEPS, "norms": [0.01 + 1e-7 * (i % 5) for i in STEPS]}},
    quiet={
        "as backward leaves them": {"steps": STEPS, "norms": [0.8 + 0.2 * (i % 5) for i in STEPS]},
        "scaled at some steps": {"steps": STEPS, "norms": [0.5] * 20 + [0.1 + 0.01 * i for i in range(40)]},
        "there are none": {"steps": STEPS, "norms": [0.0] * 60},
        "too few": {"steps": STEPS[:10], "norms": [0.5] * 10},
    },
)
def norm_held_constant(gradients: GradientNorms) -> Iterator[Finding]:
    """The gradient that steps use has the same norm every time: something brings it to one length.

    ## Why it matters
    Gradients of different batches differ. Where each comes out as long as the one before, a clip decides how far a step
    goes, and the learning rate only with it.

    ## False alarms
    Methods that step by a direction alone do this on purpose.
    """
    found = held_constant(gradients.norms)
    if found is not None:
        yield Finding(f"the gradient has a norm of {found[0]:.3g} in {found[1]} of {len(gradients.norms)} steps")
