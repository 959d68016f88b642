"""How much single features tell of the label, beside what all the others tell together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stetho.facts import TellingFeature
from stetho.measure.association import kept_pairs
from stetho.measure.series import Measured
from stetho.recording import Recording

BINS = 40
NEIGHBOURS = 7
# Most features that are looked at one by one, and samples that neighbours are looked for among.
WIDEST, MOST = 128, 1200
STRENGTH = 1e-2
# Labels of more kinds are as good as numbers.
KINDS = 50


def telling_feature(recording: Recording) -> Iterator[Measured]:
    """The feature that tells most of the label by itself, and what the others tell without it."""
    pairs = kept_pairs(recording)
    if pairs is None or pairs.discrete or pairs.y.shape[1] != 1 or not 2 <= pairs.x.shape[1] <= WIDEST:
        return
    # Wide samples take longer, and fewer of them will do.
    most = len(pairs.x) if pairs.x.shape[1] <= 32 else MOST // 2
    x, y, classes = pairs.x[:most], pairs.y[:most, 0], is_classes(pairs.y[:, 0], pairs.whole)
    if float(y.std()) == 0.0:
        return
    alone = [told_by(x[:, k], y, classes) for k in range(x.shape[1])]
    best = max(range(len(alone)), key=lambda k: alone[k])
    others = [k for k in range(x.shape[1]) if k != best]
    rest = told_by_all(x[:MOST][:, others], y[:MOST], classes)
    second = max(alone[k] for k in others)
    fact = TellingFeature(best, x.shape[1], alone[best], second, rest, len(x), classes)
    told = f"feature {best} of {x.shape[1]} by itself tells {alone[best]:.3f} of the label, the next one {second:.3f}"
    yield fact, f"{told}, all others together {rest:.3f}"


def is_classes(y: Any, whole: bool) -> bool:
    """Whether labels are kinds, the same or not; also where they are kept as numbers, like 0.0 and 1.0."""
    import numpy as np

    kinds = np.unique(y)
    return len(kinds) <= KINDS and (whole or (len(kinds) == 2 and bool((kinds == np.round(kinds)).all())))


def told_by(feature: Any, y: Any, classes: bool) -> float:
    """The share of a label's uncertainty that one feature takes away, measured on halves that were not fitted."""
    import numpy as np

    values = np.unique(feature)
    cuts = (
        np.unique(np.quantile(feature, np.linspace(0, 1, BINS + 1)[1:-1]))
        if len(values) > BINS
        else values[:-1] + (np.diff(values) / 2)
    )
    bins = np.searchsorted(cuts, feature)
    binned = max(0.0, float(np.mean([_by_bins(bins, y, part, classes) for part in halves(len(y))])))
    if classes or float(feature.std()) == 0.0:
        return binned
    return float(max(binned, np.corrcoef(feature, y)[0, 1] ** 2))


def halves(size: int) -> list[Any]:
    """Which samples are fitted, once one half and once the other, dealt out without regard to their order."""
    import numpy as np

    first = np.random.default_rng(0).permutation(size) < size // 2
    return [first, ~first]


def _by_bins(bins: Any, y: Any, fitted: Any, classes: bool) -> float:
    """Each bin answers with its most frequent label, or its mean."""
    import numpy as np

    answer: dict[int, float] = {}
    for one in np.unique(bins[fitted]):
        here = y[fitted & (bins == one)]
        answer[int(one)] = _most_frequent(here) if classes else float(here.mean())
    usual = _most_frequent(y[fitted]) if classes else float(y[fitted].mean())
    said = np.array([answer.get(int(one), usual) for one in bins[~fitted]])
    return gain(said, y[~fitted], usual, classes)


def _most_frequent(y: Any) -> float:
    import numpy as np

    kinds, counts = np.unique(y, return_counts=True)
    return float(kinds[counts.argmax()])


def gain(said: Any, y: Any, usual: float, classes: bool) -> float:
    """1 for answers that are all right, 0 for those that are no better than one answer for all."""
    wrong = float((said != y).mean()) if classes else float(((said - y) ** 2).mean())
    without = float((y != usual).mean()) if classes else float(((y - usual) ** 2).mean())
    return 1 - wrong / without if without > 0 else 0.0


def told_by_all(x: Any, y: Any, classes: bool) -> float:
    """What several features tell together: the better of a linear answer and of neighbours."""
    import numpy as np

    spread = x.std(axis=0)
    x = (x[:, spread > 0] - x[:, spread > 0].mean(axis=0)) / spread[spread > 0]
    if not x.shape[1]:
        return 0.0
    parts = halves(len(y))
    ways = (_linear, _neighbours)
    return max(0.0, *(float(np.mean([_of_way(way, x, y, part, classes) for part in parts])) for way in ways))


def _of_way(way: Any, x: Any, y: Any, fitted: Any, classes: bool) -> float:
    import numpy as np

    usual = _most_frequent(y[fitted]) if classes else float(y[fitted].mean())
    kinds = np.unique(y[fitted])
    # A kind is answered by the highest of the scores for each.
    table = (y[fitted][:, None] == kinds[None, :]).astype(float) if classes else y[fitted][:, None]
    scores = way(x[fitted], table, x[~fitted])
    said = kinds[scores.argmax(axis=1)] if classes else scores[:, 0]
    return gain(said, y[~fitted], usual, classes)


def _linear(x: Any, table: Any, asked: Any) -> Any:
    import numpy as np

    one, other = (np.concatenate([part, np.ones((len(part), 1))], axis=1) for part in (x, asked))
    solved = np.linalg.solve(one.T @ one + STRENGTH * len(x) * np.eye(one.shape[1]), one.T @ table)
    return other @ solved


def _neighbours(x: Any, table: Any, asked: Any) -> Any:
    distance = (asked**2).sum(axis=1)[:, None] + (x**2).sum(axis=1)[None, :] - 2 * asked @ x.T
    near = distance.argpartition(min(NEIGHBOURS, len(x) - 1), axis=1)[:, :NEIGHBOURS]
    return table[near].mean(axis=1)
