from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.curves import falls_for_ever
from stetho.facts import LossCurve

AWAY = [-2.3 - 0.05 * i**2 for i in range(120)]


@check(
    reads=LossCurve,
    root="the loss below zero",
    background=0.02,
    given={"other/unlisted": 0.03},
    fires={
        "faster and faster": {"values": AWAY},
        "a cross-entropy that is maximised": {"values": [-2.3 * 1.08**i for i in range(100)]},
    },
    quiet={
        "falls to zero": {"values": [2.3 * 0.9**i for i in range(60)]},
        "a density that is learned": {"values": [3.0 - 8.0 * (1 - 0.95**i) for i in range(120)]},
        "a density of many dimensions": {"values": [900.0 - 4000.0 * (1 - 0.97**i) for i in range(200)]},
        "a policy around zero": {"values": [0.02, -0.03, 0.05, -0.04] * 30},
        "two players": {"values": AWAY, "objectives": 2},
        "short": {"values": AWAY[:8]},
    },
)
def falls_without_bound(curve: LossCurve) -> Iterator[Finding]:
    """The loss falls below zero, far beyond where it began, and faster rather than slower.

    ## Why it matters
    A loss that is minimised comes to rest somewhere. One that has no floor was turned round: a sign that is wrong, or a
    quantity that should be made large is made small for ever.

    ## False alarms
    Log-densities and rewards may be negative in health; they slow down, or stay within a small multiple of where they
    began. A critic's loss of two players is left alone.
    """
    fall = falls_for_ever(curve.values) if curve.objectives == 1 else None
    if fall is not None:
        yield Finding(
            f"the loss begins at {fall[0]:.4g} and falls to {fall[1]:.4g}, without slowing down",
            where=tuple(p for p in (curve.made_at, curve.where) if p is not None),
        )
