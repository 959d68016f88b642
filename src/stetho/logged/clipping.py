"""Gradient norms beside the limit that the configuration sets for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from stetho.facts import Clipping, ConfigValue
from stetho.logged.assembly import Curve, Known, evenly

# clip_grad_norm, max_grad_norm, gradient_clip_val, grad_clip, clip_norm, max_norm, clipnorm, clip
LIMIT = re.compile(r"(?i)(^|[._-])(((max|clip|grad|gradient)[._-]?)+(norm|val|value|clip|clipping|threshold)|clip)$")


def clipping(curves: Sequence[Curve], settings: Sequence[ConfigValue]) -> Iterator[Known]:
    """How often the logged norm is above the limit; nothing where either is missing."""
    limits = [one for one in settings if one.number is not None and one.number > 0 and LIMIT.search(one.key)]
    norms = [c for c in curves if c.role.kind == "gradient" and len(c) > 1 and "clipped" not in c.name.lower()]
    if not limits or not norms:
        return
    best = min(norms, key=lambda c: (c.role.plain, -len(c)))
    limit = limits[-1].number or 0.0
    known = np.isfinite(best.values)
    fired = int(np.count_nonzero(best.values[known] > limit))
    steps, values = evenly(best, 400)
    fact = Clipping(int(known.sum()), fired, len(best), limit, limit, steps, values, (limit,) * len(steps))
    words = f"{best.name} is above {limits[-1].key}={limit:g} at {fired} of {int(known.sum())} points"
    yield Known(fact, words, best.source)
