"""How well the labels of each part of some rows agree with what a simple model of the other parts says of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Neighbours that are asked, and what a linear model pays for its weights.
NEIGHBOURS, PENALTY = 9, 0.03
# Rows of a part from which on it is judged.
LEAST = 40
# Labels of which chance alone would guess more tell too little.
BY_LOT = 0.8
# A part that agrees less than this share of what is usual is kept from the others, at most a half of all: those that
# agree with each other are not wrong by lot.
FAR_BELOW = 0.6
# An agreement of less, in the median, tells nothing of single parts.
TELLING = 0.3
# Nearer to an end of its part than this share of the rows, a stretch reaches to it.
TO_THE_END = 0.05
# Parts of which everything is told, and ways to move labels that are tried.
TOLD, MOVES = 4, ((1, False), (-1, False), (2, False), (-2, False), (3, False), (-3, False), (0, True))


@dataclass(frozen=True)
class Rows:
    """Rows of all parts: their inputs in one or several views, and their labels."""

    views: tuple[NDArray[Any], ...]
    labels: NDArray[Any]
    """Classes from 0 on, or numbers."""
    classes: int | None
    moved: Mapping[tuple[int, bool], NDArray[Any]] = field(default_factory=dict)
    """The label that each row would have, were those of its part moved."""
    place: NDArray[Any] | None = None
    """The place of each row in its part, where the parts are files."""


@dataclass(frozen=True)
class Told:
    """What is told of one part; the fields are those of the fact."""

    part: int
    looked_at: int
    agreement: float
    error: float
    among_others: float
    worst_other: float
    own: float
    own_others: float
    sure: float
    distance: float
    spread: float
    shift: int
    turned: bool
    first: int
    last: int
    moved: float
    others_moved: float
    won: int
    lost: int


class Neighbourhood:
    """One view of the rows, with the distances between them."""

    def __init__(self, view: NDArray[Any]) -> None:
        import numpy as np

        self.view = view
        squares = (view**2).sum(1)
        self.far = np.maximum(squares[:, None] - 2 * view @ view.T + squares[None], 0).astype("float32")
        np.fill_diagonal(self.far, np.inf)

    def nearest(self, rows: NDArray[Any], among: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """For each row the nearest ones among some, and how far they are."""
        import numpy as np

        far = self.far[np.ix_(rows, among)]
        size = min(NEIGHBOURS, len(among) - 1)
        at = np.argpartition(far, size, axis=1)[:, :size]
        return among[at], np.sqrt(np.take_along_axis(far, at, axis=1))


def votes(rows: Rows, near: NDArray[Any]) -> NDArray[Any]:
    """The share of each class among neighbours."""
    import numpy as np

    return np.stack([(rows.labels[near] == one).mean(1) for one in range(rows.classes or 0)], axis=1)


def by_neighbours(rows: Rows, space: Neighbourhood, asked: NDArray[Any], among: NDArray[Any]) -> NDArray[Any]:
    near, _ = space.nearest(asked, among)
    if rows.classes is None:
        return rows.labels[near].mean(1)  # type: ignore[no-any-return]
    return votes(rows, near).argmax(1)  # type: ignore[no-any-return]


def by_line(rows: Rows, space: Neighbourhood, asked: NDArray[Any], among: NDArray[Any]) -> NDArray[Any]:
    said = line(rows, space, asked, among)
    return said if rows.classes is None else said.argmax(1)


def line(
    rows: Rows, space: Neighbourhood, asked: NDArray[Any], among: NDArray[Any], penalty: float = PENALTY
) -> NDArray[Any]:
    """A linear model with a penalty, of the numbers or of each class."""
    import numpy as np

    wanted = rows.labels[among] if rows.classes is None else np.eye(rows.classes)[rows.labels[among]]
    x, middle = space.view[among], space.view[among].mean(0)
    x = x - middle
    paid = penalty * len(among) * np.eye(x.shape[1])
    weights = np.linalg.solve(x.T @ x + paid, x.T @ (wanted - wanted.mean(0)))
    return (space.view[asked] - middle) @ weights + wanted.mean(0)  # type: ignore[no-any-return]


MODELS = (by_neighbours, by_line)


@dataclass(frozen=True)
class Move:
    """One way to move the labels of a part: which, of the rows that were looked at, and how much better they fit."""

    move: tuple[int, bool] = MOVES[0]
    rows: NDArray[Any] | None = None
    gain: float = 0.0


def stretch(better: NDArray[Any]) -> tuple[int, int]:
    """The stretch of rows in which labels gain most by being moved."""
    import numpy as np

    total = np.concatenate(([0.0], np.cumsum(better)))
    lowest = np.minimum.accumulate(total)
    high = int((total - lowest).argmax())
    low = int(np.flatnonzero(total[: high + 1] == lowest[high])[-1])
    size = TO_THE_END * len(better)
    return (0 if low <= size else low), (len(better) if len(better) - high <= size else high)


def agreed(said: NDArray[Any], labels: NDArray[Any], classes: int | None, spread: float) -> tuple[float, float]:
    """Agreement beyond chance and its error: Cohen's kappa of classes, the share of the spread explained of numbers."""
    import numpy as np

    count = len(labels)
    if classes is None:
        # A part may be higher or lower than the others as a whole.
        left = (labels - said) - (labels - said).mean()
        return 1 - float(left.var()) / spread**2, float((left**2).std()) / spread**2 / math.sqrt(count)
    given, answered = (np.bincount(one, minlength=classes) / count for one in (labels, said))
    by_lot = float(given @ answered)
    # Labels of one class for nearly every row are no answers to anything.
    if max(by_lot, float(given @ given)) > BY_LOT:
        return math.nan, math.nan
    share = float((said == labels).mean())
    guarded = (share * count + 1) / (count + 2)
    return (share - by_lot) / (1 - by_lot), math.sqrt(guarded * (1 - guarded) / count) / (1 - by_lot)


class Comparison:
    """Parts of rows beside each other, by the view and the model in which they agree best."""

    def __init__(self, rows: Rows, spaces: Sequence[Neighbourhood], part: NDArray[Any]) -> None:
        import numpy as np

        self.rows = rows
        self.asked: dict[Any, NDArray[Any]] = {}
        self.at = {int(one): np.flatnonzero(part == one) for one in np.unique(part)}
        self.spread = float(rows.labels.std()) if rows.classes is None else 1.0
        self.by: dict[int, tuple[float, float, int]] = {}
        self.usual = -math.inf
        for space in spaces:
            for model in MODELS:
                self.space, self.model = space, model
                found = {one: got for one in self.at if (got := self.agreement(one, set(self.at) - {one})) is not None}
                usual = float(np.median([a for a, _, _ in found.values()])) if len(found) > 2 else -math.inf
                if usual > self.usual:
                    self.usual, self.by, best = usual, found, (space, model)
        if self.by:
            self.space, self.model = best

    def agreement(
        self, one: int, others: set[int], move: tuple[int, bool] | None = None
    ) -> tuple[float, float, int] | None:
        """How far a part agrees with others, its error and the rows it rests on; None where that cannot be told."""
        asked = self.known(one, others)
        if len(asked) < LEAST:
            return None
        said = self.said(one, others)
        labels = (self.rows.labels if move is None else self.rows.moved[move])[asked]
        got, error = agreed(said, labels, self.rows.classes, self.spread)
        return None if math.isnan(got) else (got, error, len(asked))

    def known(self, one: int, others: set[int]) -> NDArray[Any]:
        """The rows of a part whose class the others have, too."""
        import numpy as np

        if self.rows.classes is None:
            return self.at[one]
        have = np.unique(self.rows.labels[self.together(others)])
        return self.at[one][np.isin(self.rows.labels[self.at[one]], have)]

    def together(self, others: set[int]) -> NDArray[Any]:
        import numpy as np

        return np.concatenate([self.at[one] for one in sorted(others)])

    def said(self, one: int, others: set[int]) -> NDArray[Any]:
        """What the model of the others answers for the rows of a part; asked once."""
        asked = (one, frozenset(others), self.space, self.model)
        if asked not in self.asked:
            self.asked[asked] = self.model(self.rows, self.space, self.known(one, others), self.together(others))
        return self.asked[asked]

    def told(self) -> Iterator[Told]:
        """The parts that stand out, those that agree least first; none where the parts hardly agree at all."""
        if self.usual < TELLING:
            return
        least = sorted(self.by, key=lambda one: self.by[one][0])
        below = [one for one in least[: len(least) // 2] if self.by[one][0] < FAR_BELOW * self.usual]
        for one in [*dict.fromkeys((*least[:1], *below, *self.better_moved()))][:TOLD]:
            others = set(self.at) - {*below, one}
            if len(others & set(self.by)) >= 2 and (told := self.told_of(one, others)) is not None:
                yield told

    def better_moved(self) -> list[int]:
        """Parts whose labels fit clearly better when they are moved."""
        gains = {one: self.best_move(one, set(self.at) - {one}).gain / len(self.at[one]) for one in self.by}
        return [one for one in sorted(gains, key=lambda one: -gains[one]) if gains[one] > 0.05]

    def best_move(self, one: int, others: set[int]) -> Move:
        """How labels of a part, or of a stretch of it, would be moved to fit best."""
        import numpy as np

        asked, best = self.known(one, others), Move()
        as_it_is = self.fits(one, others, None)
        for move in MOVES:
            better = self.fits(one, others, move) - as_it_is
            low, high = (0, len(better)) if move[1] or self.rows.place is None else stretch(better)
            gain = float(better[low:high].sum())
            if gain > best.gain:
                best = Move(move, np.isin(np.arange(len(asked)), np.arange(low, high)), gain)
        return best

    def fits(self, one: int, others: set[int], move: tuple[int, bool] | None) -> NDArray[Any]:
        """How well each label of a part fits what the others say, as it is or moved."""
        asked, said = self.known(one, others), self.said(one, others)
        labels = (self.rows.labels if move is None else self.rows.moved[move])[asked]
        if self.rows.classes is None:
            left = labels - said
            return -abs(left - left.mean()) / self.spread  # type: ignore[no-any-return]
        return (labels == said).astype(float)  # type: ignore[no-any-return]

    def told_of(self, one: int, others: set[int]) -> Told | None:
        """Everything of one part, beside some others."""
        import numpy as np

        judged = sorted(others & set(self.by))
        mine = self.agreement(one, others)
        theirs = [got[0] for other in judged if (got := self.agreement(other, others - {other})) is not None]
        if mine is None or len(theirs) < 2:
            return None
        best = self.best_move(one, others)
        moved, won, lost = self.compared(one, others, best)
        size = len(self.at[one])
        sure, plain, far = self.surroundings(one, others)
        around = [self.surroundings(other, others - {other}) for other in judged]
        also_moved = [got[0] for k in judged if (got := self.agreement(k, others - {k}, best.move)) is not None]
        shift, turned = best.move if moved > mine[0] else (0, False)
        first, last = self.reach(one, others, best)
        return Told(
            one, mine[2], mine[0], mine[1], float(np.median(theirs)), min(theirs),
            self.own(one, size), float(np.median([self.own(other, size) for other in judged])),
            min(
                sure / max(1e-9, float(np.median([a for a, _, _ in around]))),
                plain / max(1e-9, float(np.median([b for _, b, _ in around]))),
            ),
            far / max(1e-9, float(np.median([c for _, _, c in around]))),
            self.spread_of(one) / max(1e-9, float(np.median([self.spread_of(other) for other in judged]))),
            shift, turned, first, last, moved, float(np.median(also_moved)) if also_moved else 0.0, won, lost,
        )  # fmt: skip

    def compared(self, one: int, others: set[int], best: Move) -> tuple[float, int, int]:
        """The agreement when labels are moved, the rows that fit better then, and those that fit worse."""
        import numpy as np

        if best.rows is None:
            return -math.inf, 0, 0
        asked, said = self.known(one, others), self.said(one, others)
        labels = np.where(best.rows, self.rows.moved[best.move][asked], self.rows.labels[asked])
        better = (self.fits(one, others, best.move) - self.fits(one, others, None))[best.rows]
        moved, _ = agreed(said, labels, self.rows.classes, self.spread)
        return (-math.inf if math.isnan(moved) else moved), int((better > 0).sum()), int((better < 0).sum())

    def reach(self, one: int, others: set[int], best: Move) -> tuple[int, int]:
        """The first row of a part whose label would be moved, and the one after the last; 0 and 0 for all of them."""
        if best.rows is None or best.rows.all() or self.rows.place is None:
            return 0, 0
        places = self.rows.place[self.known(one, others)]
        inside = places[best.rows]
        near = TO_THE_END * (places[-1] + 1)
        first = 0 if inside[0] - places[0] <= near else int(inside[0])
        # Nothing is known of how many rows come after the last one that was looked at.
        last = 0 if places[-1] - inside[-1] <= near else int(inside[-1]) + 1
        return first, last

    def own(self, one: int, most: int) -> float:
        """How far the rows of a part agree with each other; with so many of them at most."""
        import numpy as np

        at = self.at[one]
        if len(at) > most:
            at = np.sort(np.random.default_rng(0).choice(at, most, replace=False))
        near, _ = self.space.nearest(at, at)
        if self.rows.classes is None:
            said = self.rows.labels[near].mean(1)
        else:
            said = votes(self.rows, near).argmax(1)
        got, _ = agreed(said, self.rows.labels[at], self.rows.classes, self.spread)
        return 0.0 if math.isnan(got) else got

    def surroundings(self, one: int, others: set[int]) -> tuple[float, float, float]:
        """How sure the others are of the inputs of a part, as neighbours and as a linear model, and how far away."""
        import numpy as np

        asked, among = self.at[one], self.together(others)
        near, far = self.space.nearest(asked, among)
        said = line(self.rows, self.space, asked, among)
        if self.rows.classes is None:
            sure, plain = self.spread / max(1e-9, float(self.rows.labels[near].std(1).mean())), float(said.std())
        else:
            ranked = np.sort(said, axis=1)
            sure, plain = float(votes(self.rows, near).max(1).mean()), float((ranked[:, -1] - ranked[:, -2]).mean())
        return sure, plain, float(np.median(far.mean(1)))

    def spread_of(self, one: int) -> float:
        return float(self.rows.labels[self.at[one]].std()) if self.rows.classes is None else 1.0
