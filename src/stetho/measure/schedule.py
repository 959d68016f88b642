"""The loss beside the learning rate, where the rate of a live run ends early."""

from __future__ import annotations

from collections.abc import Iterator

from stetho.facts import LossCurve
from stetho.measure.loss import loss_curve
from stetho.measure.series import Measured
from stetho.recording import Recording, Step


def rate_and_loss(recording: Recording, steps: list[Step]) -> Iterator[Measured]:
    """What the loss did until the rate was gone, and after it."""
    rated = [(s.index, r) for s in steps if s.rates and (r := s.rates[0]) is not None]
    # Most rates never end; the arithmetic is loaded only for those that do.
    if len(rated) < 5 or min(r for _, r in rated) > 1e-3 * max(r for _, r in rated):
        return
    curve = next((fact for fact, _ in loss_curve(recording, steps)), None)
    if not isinstance(curve, LossCurve):
        return
    import numpy as np

    from stetho.logged.schedule import around_its_end, told

    rates, losses = (np.array(rated, dtype=float), np.array([curve.steps, curve.values], dtype=float))
    fact = around_its_end(rates[:, 0], rates[:, 1], losses[0], losses[1])
    if fact is not None:
        yield fact, told(fact, "the learning rate", "the loss")
