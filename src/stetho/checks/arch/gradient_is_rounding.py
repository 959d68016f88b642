from collections.abc import Iterator
from statistics import median

from stetho.check import Finding, check
from stetho.facts import GradientNorms, LossCurve, LossInputs

STEPS = list(range(60))


def run(norms: list[float], losses: list[float]) -> dict[str, object]:
    return {"gradient-norms": {"steps": STEPS, "norms": norms}, "loss-curve": {"values": losses}}


@check(
    reads=(GradientNorms, LossCurve),
    also=LossInputs,
    root="gradient-size",
    background=0.01,
    given={"other/unlisted": 0.02},
    fires={"a thousand-millionth, at a loss of one": run([6e-9] * 60, [1.37] * 60)},
    quiet={
        "usual": run([0.4] * 60, [1.37] * 60),
        "learned by heart": run([0.4] * 20 + [1e-9] * 40, [1.0] * 20 + [1e-8] * 40),
        "exactly zero, as where the loss is cut off": run([0.0] * 60, [1.37] * 60),
        "a small loss has small gradients": run([2e-9] * 60, [3e-9] * 60),
    },
)
def gradient_is_rounding(
    norms: GradientNorms, curve: LossCurve, losses: LossInputs | None, *, part: float = 1e-6, least: int = 20
) -> Iterator[Finding]:
    """From the first step on the gradient is so small, beside the loss, that it is nothing but rounding.

    ## Why it matters
    The parameters are connected to the loss, and yet no change of them changes it: what they add cancels out, as a
    shift of all scores does in a softmax.

    ## False alarms
    A model that has learned its data by heart gets there as well, later; here it is so from the start. Gradients that
    are exactly zero, and losses that are as small, are other matters.
    """
    early, levels = norms.norms[:least], [abs(v) for v in curve.values]
    if len(norms.norms) < least or not levels or min(early) <= 0:
        return
    usual, level = median(norms.norms), median(levels)
    if 0 < usual < part * level and max(early) < 10 * part * level and level > 1e-3:
        sites = [s for s in losses.sites if s.trained] if losses is not None else []
        places = [p for s in sites for p in (*s.produced_at[:1], s.where) if p is not None]
        yield Finding(
            f"the gradient norm is {usual:.1g} at a loss of {level:.3g}, from the first step on: that is rounding",
            where=tuple(dict.fromkeys(places))[:3],
        )
