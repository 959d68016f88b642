from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.curves import shape
from stetho.facts import LossCurve

DOWN = [-1.0 - 0.2 * i for i in range(60)]


@check(
    reads=LossCurve,
    root="fit against loss",
    background=0.005,
    given={"other/unlisted": 0.02},
    fires={"minus a squared error": {"values": DOWN, "explained": -12.0}},
    quiet={
        "a density that is learned": {"values": DOWN, "explained": 0.9},
        "begins far off its targets": {"values": [900.0 * 0.97**i for i in range(60)], "explained": -3.0},
        "explodes": {"values": [1.3**i for i in range(60)], "explained": -1e6},
        "no targets": {"values": DOWN},
        "two players": {"values": DOWN, "explained": -12.0, "objectives": 2},
    },
)
def fits_worse_as_it_falls(curve: LossCurve) -> Iterator[Finding]:
    """The loss falls below zero while the predictions get far worse than the mean of the targets.

    ## Why it matters
    What training makes small is the opposite of the distance to the targets.

    ## False alarms
    A likelihood may be negative in health; its predictions then account for their targets.
    """
    seen = shape(curve.values)
    if seen is None or curve.explained is None or curve.objectives > 1:
        return
    if curve.explained < -1.5 and seen.end < 0 and seen.start - seen.end > max(abs(seen.start), 5 * seen.error):
        yield Finding(
            f"the loss falls from {seen.start:.4g} to {seen.end:.4g}, and the predictions end farther from their "
            f"targets than the mean of these, with an explained variance of {curve.explained:.3g}",
            where=tuple(p for p in (curve.made_at, curve.where) if p is not None),
        )
