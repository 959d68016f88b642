"""Whether the labels that a run trained on belong to their inputs, measured on a sample of both."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from stetho.facts import Association
from stetho.measure.data import matrix
from stetho.recording import Recording

# Beyond this many samples the table of distances grows and the answer does not change.
MOST = 1500
NEIGHBOURS = 5


@dataclass(frozen=True)
class Pairs:
    """Different inputs with their labels, as far as both are finite."""

    x: Any
    y: Any
    whole: bool
    discrete: bool
    repeated: float


def kept_pairs(recording: Recording) -> Pairs | None:
    """The inputs that were kept beside their labels; None where they do not go together, or are too few."""
    pairs = recording.of("pairs")
    if not pairs or len({tuple(p["x"]["shape"][1:]) + tuple(p["y"]["shape"][1:]) for p in pairs}) != 1:
        return None
    import numpy as np

    x = np.concatenate([matrix(p["x"]) for p in pairs])[:MOST].astype("float64")
    y = np.concatenate([matrix(p["y"]) for p in pairs])[:MOST].astype("float64")
    whole, discrete = all(p["whole"] for p in pairs), any(p["discrete"] for p in pairs)
    _, first, counts = np.unique(x, axis=0, return_index=True, return_counts=True)
    repeated = counts[counts > 1].sum() / len(x)
    x, y = x[np.sort(first)], y[np.sort(first)]
    usable = np.isfinite(x).all(axis=1) & np.isfinite(y).all(axis=1)
    x, y = x[usable], y[usable]
    return None if len(x) < 100 or float(y.std()) == 0.0 else Pairs(x, y, whole, discrete, float(repeated))


def association(recording: Recording) -> Iterator[tuple[Association, str]]:
    """Nearest neighbours among the kept inputs: do they share their label more often than random pairs?"""
    import numpy as np

    pairs = kept_pairs(recording)
    if pairs is None:
        return
    x, y, whole, discrete, repeated = pairs.x, pairs.y, pairs.whole, pairs.discrete, pairs.repeated
    near = _nearest(x, discrete)
    if whole and y.shape[1] == 1:
        same = (y[near, 0] == y[:, :1]).mean(axis=1)
        shares = np.unique(y[:, 0], return_counts=True)[1] / len(y)
        expected = float((shares**2).sum())
    else:
        target = (y - y.mean(axis=0)) / (y.std(axis=0) + 1e-12)
        same = 1 - ((target[near] - target[:, None, :]) ** 2).mean(axis=(1, 2)) / 2
        expected = 0.0
    agreement, error = float(same.mean()), float(same.std() / math.sqrt(len(same)))
    fact = Association(len(x), agreement, expected, max(error, 1e-6), repeated)
    yield (
        fact,
        f"nearest neighbours among {len(x)} inputs agree on the label {agreement:.3f}, random pairs {expected:.3f}",
    )


def _nearest(x: Any, discrete: bool) -> Any:
    """The nearest of each sample: by the number of different symbols, or by distance over scaled features."""
    import numpy as np

    if discrete:
        # Row by row: all pairs at once would need a cube of booleans.
        distance = np.stack([(x != row).sum(axis=1) for row in x]).astype("float64")
    else:
        scale = x.std(axis=0)
        x = (x[:, scale > 0] - x[:, scale > 0].mean(axis=0)) / scale[scale > 0]
        square = (x * x).sum(axis=1)
        distance = square[:, None] + square[None, :] - 2 * x @ x.T
    np.fill_diagonal(distance, np.inf)
    return np.argsort(distance, axis=1)[:, :NEIGHBOURS]
